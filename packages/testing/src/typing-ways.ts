import { type Carried, Kept } from "@segue/models";
import type { Text } from "@segue/text";
import type { TypingConditions } from "./typing-simulation.js";

/** How much of what models wrote is made use of, from nothing to all that there is. */
export const TYPING_WAYS = {
	"nothing kept": { kept: () => new Forgetful(), speculates: false },
	"kept for the same text": { kept: () => new Literal(), speculates: false },
	"kept and carried along": { kept: () => new Kept(), speculates: false },
	"all three": { kept: () => new Kept(), speculates: true },
} as const satisfies Record<string, Omit<TypingConditions, "mistakes">>;

/** Has nothing but what is being asked. */
class Forgetful extends Kept {
	override holding(uri: string, text: Text): readonly Carried[] {
		return super.holding(uri, text).filter(({ isExact, answer }) => isExact && !answer.isOver);
	}
}

/** Carries nothing to another text. */
class Literal extends Kept {
	override holding(uri: string, text: Text): readonly Carried[] {
		return super.holding(uri, text).filter(({ isExact }) => isExact);
	}
}
