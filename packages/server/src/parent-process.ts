import type { StartTimer } from "@segue/text";

// An editor that is killed sends no exit notification, so check whether its process exists. The check is cheap.
const CHECK_INTERVAL_MS = 2_000;

interface ProcessAccess {
	/** Starts a timer; returns a function that cancels it. */
	readonly after: StartTimer;
	/** `process.kill`. Signal 0 only checks that the process exists. Throws if the process does not exist. */
	readonly kill: (pid: number, signal: 0) => void;
}

/** Calls `gone` once when a process has exited, synchronously if it already has. Returns a function that stops watching. */
export function watchParent(pid: number, { after, kill }: ProcessAccess, gone: () => void): () => void {
	let stop = () => {};
	const check = () => {
		if (isAlive(pid, kill)) stop = after(CHECK_INTERVAL_MS, check);
		else gone();
	};
	check();
	return () => stop();
}

function isAlive(pid: number, kill: ProcessAccess["kill"]): boolean {
	try {
		kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: the process exists, but belongs to another user.
		return (error as NodeJS.ErrnoException).code !== "ESRCH";
	}
}
