/** Why an agent did not do what it was to: sentences for a person. */
export class AgentFailure extends Error {
	override readonly name = "AgentFailure";

	constructor(
		message: string,
		/** It works once somebody has signed in. */
		readonly wantsSignIn = false,
	) {
		super(message);
	}
}
