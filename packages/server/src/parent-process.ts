import type { StartTimer } from "@segue/text";

/** The editor that started us may be killed without a word. Its end is noticed within this time, and a look costs nothing. */
const LOOK_MS = 2_000;

interface ProcessAccess {
	/** Runs something later; returns how to call it off. */
	readonly after: StartTimer;
	/** Throws as `process.kill` does where the signal cannot be sent; 0 is none, and only looks. */
	readonly kill: (pid: number, signal: 0) => void;
}

/** Tells once when a process is gone, at once where it is gone already. Returns how to stop watching. */
export function watchParent(pid: number, { after, kill }: ProcessAccess, gone: () => void): () => void {
	let stop = () => {};
	const look = () => {
		if (isAlive(pid, kill)) stop = after(LOOK_MS, look);
		else gone();
	};
	look();
	return () => stop();
}

function isAlive(pid: number, kill: ProcessAccess["kill"]): boolean {
	try {
		kill(pid, 0);
		return true;
	} catch (error) {
		// Somebody else's process is there all the same.
		return (error as NodeJS.ErrnoException).code !== "ESRCH";
	}
}
