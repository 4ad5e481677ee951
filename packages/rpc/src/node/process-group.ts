import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const isWindows = process.platform === "win32";

/**
 * Starts a program in its own process group, so that `killGroup` also reaches its children. The group does not receive
 * the terminal's Ctrl-C, so the caller must end it.
 */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
	return spawn(command, args, { ...options, detached: !isWindows, windowsHide: true });
}

const atExit = new Set<() => void>();
const runAtExit = () => {
	for (const run of atExit) {
		try {
			run();
		} catch {} // one failure must not leave the other processes running
	}
};

/**
 * Runs a callback when this process exits, for child processes that must not outlive it. Returns a function that
 * removes the callback. All callbacks share one listener, because Node warns of a leak if there are more than ten.
 */
export function atProcessExit(run: () => void): () => void {
	if (atExit.size === 0) process.on("exit", runAtExit);
	atExit.add(run);
	return () => {
		atExit.delete(run);
		if (atExit.size === 0) process.off("exit", runAtExit);
	};
}

/** Kills a program started by `spawnGroup` and all its children. Does nothing if it has already exited. */
export function killGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
	const { pid } = child;
	if (pid === undefined) return; // it never started
	if (isWindows) {
		const killer = spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
		killer.on("error", () => child.kill(signal));
		return;
	}
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
