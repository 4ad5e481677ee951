// An editor in a real terminal: tmux, with a separate server for each trial.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

const POLL_MS = 50;

export class Terminal {
	constructor({ command, env: own }, args, { project, env, folder }) {
		this.socket = path.join(folder, "tmux");
		this.folder = folder;
		const words = [...command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
		const size = ["-x", "120", "-y", "40"];
		const { status, stderr } = this.tmux(["-f", "/dev/null", "new-session", "-d", ...size, "-c", project, words], {
			env: { ...env, ...own, TERM: "xterm-256color" },
		});
		if (status !== 0) throw new Error(`tmux: ${stderr}`);
	}

	/** Presses keys, given in tmux notation. */
	press(...keys) {
		this.tmux(["send-keys", ...keys]);
	}

	type(text) {
		this.tmux(["send-keys", "-l", "--", text]);
	}

	/** The text shown on the screen. */
	get screen() {
		return this.tmux(["capture-pane", "-p"]).stdout;
	}

	get isOpen() {
		return this.tmux(["has-session"]).status === 0;
	}

	/**
	 * Waits until `done` returns a truthy value. After the deadline, throws an error that contains the screen's text.
	 */
	async wait(what, done, deadlineMs) {
		for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await setTimeout(POLL_MS)) {
			const result = done();
			if (result) return result;
		}
		throw new Error(`waited too long for ${what}\n${this.screen}`);
	}

	/** Waits until the editor has exited, and kills it after the deadline. */
	async ended(deadlineMs) {
		try {
			await this.wait("the editor to exit", () => !this.isOpen, deadlineMs);
		} catch ({ message }) {
			writeFileSync(path.join(this.folder, "output"), message);
			this.tmux(["kill-server"]);
		}
	}

	tmux(args, options = {}) {
		return spawnSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8", ...options });
	}
}
