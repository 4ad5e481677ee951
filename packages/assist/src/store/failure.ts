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
