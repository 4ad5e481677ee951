const MiB = 2 ** 20;

/** Every bound of a connection. Two peers need not agree on them. */
export interface Limits {
	/** The largest message that is read. */
	readonly messageBytesMax: number;
	/** Requests of the other side that are being handled at one time. */
	readonly handlingMax: number;
	/** Messages that wait because a request before them does. */
	readonly waitingMax: number;
	/** The size of all that wait. */
	readonly waitingBytesMax: number;
	/** Our own requests that have no answer yet. */
	readonly pendingMax: number;
	/** What was written and the other side has not read, before another message is written. */
	readonly unwrittenBytesMax: number;
	/** What the other side may have left to read when somebody who waits for that writes more. */
	readonly drainedBytesMax: number;
	/** Messages that are held because the other side has too much left to read, before reading stops. */
	readonly heldMax: number;
	/** The size of all that are held, before reading stops. */
	readonly heldBytesMax: number;
	/** The longest string that is taken for a request's id. */
	readonly idLengthMax: number;
	/** The longest name of a method. */
	readonly methodLengthMax: number;
	/** How long requests may still be handled when the other side has ended its own output. */
	readonly lastAnswersMsMax: number;
	/** How long the other side may take to read the last of what was written, once the connection is over. */
	readonly flushMsMax: number;
}

export const LIMITS: Limits = {
	// A full text of the largest file that editors still open without complaint, escaped, with room to spare.
	messageBytesMax: 32 * MiB,
	// Far more than a person causes, few enough that their memory and their work stay small.
	handlingMax: 64,
	// A burst of typing while every handler is busy: some minutes of it.
	waitingMax: 1024,
	// Two messages of the largest size.
	waitingBytesMax: 64 * MiB,
	// A caller that has a thousand questions open has forgotten to wait.
	pendingMax: 1024,
	// Two messages of the largest size. A peer this far behind has stopped reading.
	unwrittenBytesMax: 64 * MiB,
	// Enough that the other side always has something to read, and far from what is too much.
	drainedBytesMax: MiB,
	// A burst of typing. The sender notices the pause only after this and the buffers of the operating system are full.
	heldMax: 1024,
	heldBytesMax: MiB,
	// Longer than any counter, UUID or trace id; short enough to be echoed without a thought.
	idLengthMax: 256,
	// Longer than the name of any method, for the same reason.
	methodLengthMax: 256,
	// What is read from a disk is read by then, even if a program has to start first; who left for good waits for nothing.
	// With the next, it is less than the five seconds in which an editor expects what it started to be gone.
	lastAnswersMsMax: 2000,
	// A peer that reads has read by then; one that does not must not keep us.
	flushMsMax: 2000,
};
