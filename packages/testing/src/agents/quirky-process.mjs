// The quirky agent as a process, with additional words and flags that work only in a process.

import { spawn } from "node:child_process";
import { serveQuirky } from "./quirky-agent.mjs";

const args = process.argv.slice(2);

if (args.includes("--stubborn")) {
	process.on("SIGTERM", () => {});
	setInterval(() => {}, 1000);
}
if (args.includes("--signs-in")) {
	process.stdout.write(`signed in with ${process.env.QUIRKY_OWN}\n`);
	process.exit(7);
}
if (args.includes("--broken")) {
	process.stderr.write(`No model is configured. The key ${process.env.QUIRKY_API_KEY} is wrong.\n`);
	process.exit(2);
}

void serveQuirky(args, process.stdin, process.stdout, {
	/** Exits after the turn. */
	async later() {
		setImmediate(() => process.exit(4));
	},
	async die(_id, words) {
		process.stderr.write(`${words}\n`);
		spawnEndless();
		process.exit(3);
	},
	async pid(id) {
		await this.sendText(id, String(spawnEndless()));
	},
	/** Sends its own process id and the id of a child process that it leaves running. */
	async pids(id) {
		await this.sendText(id, JSON.stringify([process.pid, spawnEndless()]));
	},
});

/** Starts a child that keeps running after its parent has exited. */
function spawnEndless() {
	return spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
		stdio: ["ignore", "inherit", "ignore"],
	}).pid;
}
