import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A temporary folder with a `SEGUE_HOME` and a project. */
export class Home {
	readonly #folder = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-home-")));
	/** The value of SEGUE_HOME. */
	readonly home = path.join(this.#folder, "home");
	readonly project = path.join(this.#folder, "project");

	/** Writes files by path, for example `home/config.json`. Values other than text or bytes are written as JSON. */
	constructor(files: Readonly<Record<string, unknown>> = {}) {
		mkdirSync(this.home);
		mkdirSync(this.project);
		for (const [file, content] of Object.entries(files)) this.write(file, content);
	}

	/** Writes a file and returns its path. `credentials.json` gets mode 600. */
	write(file: string, content: unknown): string {
		const target = path.join(this.#folder, file);
		mkdirSync(path.dirname(target), { recursive: true });
		const isRaw = typeof content === "string" || content instanceof Uint8Array;
		writeFileSync(target, isRaw ? content : JSON.stringify(content));
		if (path.basename(file) === "credentials.json") chmodSync(target, 0o600);
		return target;
	}

	/** Removes the path of the temporary folder, which differs in each run, from program output. */
	short(text: string): string {
		return text.replaceAll(`${this.#folder}${path.sep}`, "");
	}

	[Symbol.dispose](): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
