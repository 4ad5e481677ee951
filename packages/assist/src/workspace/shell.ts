import { type ChildProcess, spawn } from "node:child_process";

/** Grace period between SIGTERM and SIGKILL. */
export const GRACE_MS = 2000;

/**
 * Starts a command line in a shell, without input. "joined" sends both streams through one pipe, which preserves the
 * order of their output. The process gets its own group, so that its children can be killed with it.
 */
export function startShell(
	command: string,
	cwd: string,
	env: Record<string, string>,
	streams: "joined" | "apart",
): ChildProcess {
	const options = { cwd, env, stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };
	if (process.platform === "win32") return spawn(command, { ...options, shell: true, windowsHide: true });
	const script = streams === "joined" ? 'exec /bin/sh -c "$0" 2>&1' : 'exec /bin/sh -c "$0"';
	return spawn("/bin/sh", ["-c", script, command], { ...options, detached: true });
}

/** Signals a process that `startShell` started, and its children. */
export function signalGroup({ pid }: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
	if (pid === undefined) return;
	if (process.platform === "win32") {
		spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
		return;
	}
	try {
		process.kill(-pid, name);
	} catch {
		// The whole group has ended.
	}
}
