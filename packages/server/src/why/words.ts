import type { Silence } from "@segue/predict";

/** Every reason for a silence in plain words. */
export const WORDS: Readonly<Record<Silence, string>> = {
	"secret-file": "the file may hold secrets, and is not read",
	"other-history": "what is known of the user's changes led to another text",
	"binary-file": "the file is not text",
	"minified-file": "the file has lines that nobody wrote by hand",
	"too-large-file": "the file is too large to be read",
	"no-history": "the user has changed nothing yet, and there is nothing to mend",
	"nothing-found": "nothing follows from what the user did",
	"no-op": "it would change nothing",
	"whitespace-only": "it would change white space only",
	"reverts-user": "it would undo what the user did",
	"too-large": "it is more than anybody reads before accepting it",
	"deletes-most": "it takes away most of what is around",
	"repeats-next-lines": "it would write what stands right below",
	"equal-lines": "there would be three equal lines, one after the other",
	"breaks-syntax": "it would leave brackets, strings or comments open",
	doubtful: "a name may mean something else there, or became two others",
	"rejected-before": "the user rejected the very same",
	"rule-retired": "the user rejected three of its kind",
	"below-threshold": "its chance is too low to be shown",
};
