import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const isWindows = process.platform === "win32";

/**
 * Starts a program as the head of a process group of its own, so that `killGroup` also reaches what it starts itself.
 * Such a group does not get the terminal's Ctrl-C: whoever starts it ends it.
 */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
	return spawn(command, args, { ...options, detached: !isWindows, windowsHide: true });
}

const atExit = new Set<() => void>();
const runAtExit = () => {
	for (const run of atExit) {
		try {
			run();
		} catch {} // a process that cannot be ended must not keep the others from being ended
	}
};

/**
 * Runs something when this process exits, for child processes that must not outlive it. Returns how to call it off. All share
 * one listener, because Node warns of a leak at eleven.
 */
export function atProcessExit(run: () => void): () => void {
	if (atExit.size === 0) process.on("exit", runAtExit);
	atExit.add(run);
	return () => {
		atExit.delete(run);
		if (atExit.size === 0) process.off("exit", runAtExit);
	};
}

/** Ends a program started by `spawnGroup`, with all its children. Does nothing where it has ended already. */
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
