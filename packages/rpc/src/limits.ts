const MiB = 2 ** 20;

/** All limits for a connection. The two peers need not agree on them. */
export interface Limits {
	/** Maximum size of a received message. */
	readonly messageBytesMax: number;
	/** Maximum requests from the peer that are handled at the same time. */
	readonly handlingMax: number;
	/** Maximum messages waiting behind a request. */
	readonly waitingMax: number;
	/** Maximum total size of the waiting messages. */
	readonly waitingBytesMax: number;
	/** Maximum pending requests sent by this side. */
	readonly pendingMax: number;
	/** Unread output beyond which the connection is dropped. */
	readonly unwrittenBytesMax: number;
	/** Unread output below which the connection counts as drained. */
	readonly drainedBytesMax: number;
	/** Reading stops when this many messages are held because of unread output. */
	readonly heldMax: number;
	/** Reading stops when the held messages reach this total size. */
	readonly heldBytesMax: number;
	/** Maximum length of a request id. */
	readonly idLengthMax: number;
	/** Maximum length of a method name. */
	readonly methodLengthMax: number;
	/** Time for answering requests after the peer has ended its output. */
	readonly lastAnswersMsMax: number;
	/** Time for the peer to read the remaining output after the connection has closed. */
	readonly flushMsMax: number;
}

export const LIMITS: Limits = {
	// Enough for the escaped text of the largest file that editors open without a warning, with room to spare.
	messageBytesMax: 32 * MiB,
	// Far more than one user causes, but few enough to bound memory and work.
	handlingMax: 64,
	// Several minutes of typing while every handler is busy.
	waitingMax: 1024,
	// Two messages of the maximum size.
	waitingBytesMax: 64 * MiB,
	// A caller with a thousand pending requests has forgotten to wait.
	pendingMax: 1024,
	// Two messages of the maximum size. A peer this far behind has stopped reading.
	unwrittenBytesMax: 64 * MiB,
	// Enough that the peer always has something to read, but far below the maximum.
	drainedBytesMax: MiB,
	// A burst of typing. The sender notices the pause only after this limit and the operating system's buffers are
	// reached.
	heldMax: 1024,
	heldBytesMax: MiB,
	// Longer than any counter, UUID or trace id, and short enough to echo.
	idLengthMax: 256,
	// Longer than any method name, and short enough to echo.
	methodLengthMax: 256,
	// Long enough to read from disk, even if a program has to start first. Together with `flushMsMax`, less than the
	// five seconds within which an editor expects a child process to exit.
	lastAnswersMsMax: 2000,
	// A peer that is reading will have finished by then. One that is not reading must not block the exit.
	flushMsMax: 2000,
};
