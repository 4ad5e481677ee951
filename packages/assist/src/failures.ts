// The errors that the engine throws. This module imports nothing, so a server can check for them without loading the
// engine.

/** A tool call failed. The message is for the model. */
export class ToolError extends Error {
	constructor(message: string) {
		super(message);
		this.name = "ToolError";
	}
}

/** A path cannot be resolved, because one of its folders is a file or its links form a loop. */
export class Unreachable extends ToolError {}

/** Another agent failed. The message is for the user. */
export class AgentFailure extends Error {
	override readonly name = "AgentFailure";

	constructor(
		message: string,
		/** Whether signing in first would help. */
		readonly wantsSignIn = false,
	) {
		super(message);
	}
}

/** The store failed. The message is for the user and explains what to do next. */
export class StoreError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "StoreError";
	}
}

/** No thread has this id, or another process has deleted it. */
export class NoSuchThread extends Error {
	constructor(readonly id: string) {
		super(`There is no conversation ${id}.`);
		this.name = "NoSuchThread";
	}
}

/** Another thread has this id. */
export class ThreadExists extends Error {
	constructor(readonly id: string) {
		super(`Thread ${id} already exists.`);
		this.name = "ThreadExists";
	}
}

/** The thread cannot be changed while a turn is running in it. */
export class ThreadBusy extends Error {
	constructor(readonly id: string) {
		super("This conversation is busy. Wait until the answer is complete, or stop it first.");
		this.name = "ThreadBusy";
	}
}
