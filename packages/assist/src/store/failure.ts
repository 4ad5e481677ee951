/** Why the store cannot do what was asked of it. The message is a sentence for a person, with the next step. */
export class StoreError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "StoreError";
	}
}

/** There is no thread with that id, or no longer: another process may have deleted it. */
export class NoSuchThread extends Error {
	constructor(readonly id: string) {
		super(`There is no thread ${id}.`);
		this.name = "NoSuchThread";
	}
}

/** There is a thread with that id already. */
export class ThreadExists extends Error {
	constructor(readonly id: string) {
		super(`There is a thread ${id} already.`);
		this.name = "ThreadExists";
	}
}

/** What would change a thread under a turn that is under way in it. */
export class ThreadBusy extends Error {
	constructor(readonly id: string) {
		super("An answer is being written in this thread. Wait for its end, or stop it first.");
		this.name = "ThreadBusy";
	}
}
