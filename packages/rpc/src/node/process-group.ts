import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const isWindows = process.platform === "win32";

/**
 * Starts a program as the head of a process group of its own, so that `killGroup` also reaches what it starts itself.
 * Such a group does not get the terminal's Ctrl-C: whoever starts it ends it.
 */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
	return spawn(command, args, { ...options, detached: !isWindows, windowsHide: true });
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
