/** A feature of a candidate: a description, and the thresholds at which its weight changes. */
export interface Feature {
	readonly says: string;
	readonly steps: readonly number[];
}

const YES = [1];
const FEW = [1, 2, 3];
const SHARES = [0.3, 0.6, 0.8, 0.99];

/**
 * Features of the site, of competing candidates, and of all rules for the edit. Each has the best value of any rule.
 */
const OF_ALL: Readonly<Record<string, Feature>> = {
	support: { says: "how often the user made this change by hand", steps: [1, 2, 3, 4] },
	share: { says: "share of the rule's sites that the user has changed", steps: [0.1, 0.2, 0.34, 0.5, 0.67, 0.8] },
	age: { says: "number of lines the user has changed since", steps: [1, 2, 4, 8] },
	rank: { says: "number of the rule's sites that come before this one", steps: FEW },
	left: { says: "number of sites left", steps: [2, 3, 6, 12] },
	skipped: { says: "number of sites the user passed without changing them", steps: [1, 2, 4] },
	against: { says: "how often the user changed a matching site differently", steps: [1, 2] },
	similar: { says: "similarity of the line to the one the user changed", steps: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99] },
	linesAbove: { says: "similarity of the line above to the one above the user's change", steps: SHARES },
	linesBelow: { says: "similarity of the line below to the one below the user's change", steps: SHARES },
	hunk: { says: "lines next to the user's change were changed too", steps: [1, 2] },
	indents: { says: "also changes the indent, as the user did on the next line", steps: YES },
	keepsIndent: { says: "keeps the indent, which the user changed on the next line", steps: YES },
	adjoins: { says: "the user made this change on the line above or below", steps: YES },
	foreign: { says: "the user has not made this change in this file yet", steps: YES },
	sameThing: { says: "the name refers to the same symbol as where the user changed it", steps: YES },
	otherThing: { says: "the name refers to something else there", steps: YES },
	kept: { says: "a removed name is still defined there", steps: YES },
	lost: { says: "a removed name is no longer defined there", steps: YES },
	bound: { says: "an inserted name is defined there", steps: YES },
	unbound: { says: "an inserted name is not defined there", steps: YES },
	elsewhere: { says: "not in the file with the cursor", steps: YES },
	untouched: { says: "the user has not changed the file", steps: YES },
	distance: { says: "distance from the cursor in lines", steps: [3, 7, 20, 60, 200] },
	behind: { says: "above the cursor", steps: YES },
	between: { says: "the user has changed lines above and below it", steps: YES },
	beyond: { says: "the user has changed lines only above it", steps: YES },
	ahead: { says: "the user has changed lines only below it", steps: YES },
	comment: { says: "in a comment", steps: YES },
	string: { says: "in a string", steps: YES },
	import: { says: "the line is an import", steps: YES },
	test: { says: "the file is a test", steps: YES },
	examples: { says: "total number of lines the user has changed", steps: [2, 4, 8, 16] },
	echoes: { says: "share of the user's recent changes that repeat earlier ones", steps: [0.1, 0.3, 0.5, 0.7, 0.9] },
	edits: { says: "number of edits on the line", steps: [2, 3] },
	replaced: { says: "share of a removed name's uses that are already gone", steps: [0.02, 0.1, 0.3, 0.6, 0.85] },
	standing: { says: "a removed name is still declared", steps: YES },
	orphaned: { says: "a removed name is no longer declared", steps: YES },
	missing: { says: "an inserted name is new in this file", steps: YES },
	coined: { says: "an inserted name did not exist before the user's edits", steps: YES },
	declared: { says: "an inserted name is declared", steps: YES },
	doomed: { says: "share of a kept name's uses that are already gone", steps: [0.02, 0.1, 0.3, 0.6, 0.85] },
	unbalanced: { says: "leaves a bracket on the line unbalanced", steps: YES },
	predictors: { says: "number of predictors that agree", steps: [2, 3] },
	rules: { says: "number of rules that agree", steps: [2, 3, 4, 6] },
	rivals: { says: "number of candidates that change the same part of the line differently", steps: FEW },
	beside: { says: "number of candidates that change another part of the line", steps: FEW },
	whole: { says: "number of candidates that change this part of the line and more", steps: FEW },
};

/** Features that exist for each predictor, or for each kind of rule if a predictor has several. */
const OF_RULES: Readonly<Record<string, Feature>> = {
	support: { says: "how often the user made this change", steps: [2, 3, 4] },
	age: { says: "number of lines the user has changed since", steps: [1, 2, 4, 8] },
	left: { says: "number of sites left", steps: [2, 3, 6, 12] },
	skipped: { says: "number of sites the user passed", steps: [1, 2, 4] },
	rank: { says: "number of sites that come before this one", steps: FEW },
	tokens: { says: "number of tokens in its pattern", steps: [3, 5, 8, 11] },
	lines: { says: "number of lines inserted or deleted", steps: FEW },
};

const KINDS: Readonly<Record<string, { readonly says: string; readonly has: readonly string[] }>> = {
	rename: { says: "rename in progress", has: ["support", "age", "left", "skipped", "rank"] },
	template: { says: "a similar line was changed", has: ["support", "age", "left", "skipped", "rank"] },
	repeat: { says: "repeated change", has: ["support", "age", "left", "skipped", "rank"] },
	"repeat.line": { says: "repeated change on an equal line", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.wide": {
		says: "repeated change with three equal tokens on either side",
		has: ["support", "left", "skipped", "rank", "tokens"],
	},
	"repeat.near": {
		says: "repeated change with one equal token on either side",
		has: ["support", "left", "skipped", "rank", "tokens"],
	},
	"repeat.left": {
		says: "repeated change with two equal tokens before it",
		has: ["support", "left", "skipped", "rank", "tokens"],
	},
	"repeat.right": {
		says: "repeated change with two equal tokens after it",
		has: ["support", "left", "skipped", "rank", "tokens"],
	},
	"repeat.bare": { says: "repeated change in any context", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.gone": { says: "deletion of equal lines", has: ["support", "left", "skipped", "rank", "tokens", "lines"] },
	"repeat.after": {
		says: "lines inserted below an equal line",
		has: ["support", "left", "skipped", "rank", "tokens", "lines"],
	},
	"repeat.before": {
		says: "lines inserted above an equal line",
		has: ["support", "left", "skipped", "rank", "tokens", "lines"],
	},
	"repeat.rewritten": {
		says: "rewrite of equal lines",
		has: ["support", "left", "skipped", "rank", "tokens", "lines"],
	},
	sibling: { says: "lines inserted at similar sites", has: ["support", "age", "left", "skipped", "rank", "lines"] },
	paste: { says: "a name in pasted code", has: ["support", "left", "rank", "lines"] },
	calls: { says: "a call to a function whose parameters changed", has: ["support", "age", "left", "skipped", "rank"] },
};

const OF_ONE: Readonly<Record<string, Feature>> = {
	"rename.declared": { says: "the user renamed the declaration", steps: YES },
	"rename.only": { says: "the user has changed nothing else", steps: [] },
	"rename.short": { says: "the name has three letters or fewer", steps: YES },
	"repeat.telling": { says: "length of the longest name in its pattern", steps: [1, 2, 4, 7, 12] },
	"repeat.signs": { says: "punctuation only", steps: YES },
	"repeat.files": { says: "number of files in which the user made this change", steps: [2, 3] },
	"repeat.comes": { says: "number of tokens inserted", steps: [1, 2, 4, 8] },
	"repeat.goes": { says: "number of tokens deleted", steps: [1, 2, 4, 8] },
	"repeat.tokensBefore": { says: "number of equal tokens before it", steps: [1, 2, 3, 5] },
	"repeat.tokensAfter": { says: "number of equal tokens after it", steps: [1, 2, 3, 5] },
	"repeat.indent": { says: "the line has the same indent as the user's", steps: YES },
	"repeat.otherPart": {
		says: "one site is in code, and the other in a comment or string",
		steps: YES,
	},
	"repeat.name": { says: "it replaces one name with another", steps: YES },
	"repeat.otherRole": { says: "the name has a different role than where the user changed it", steps: YES },
	"repeat.is.declaration": { says: "the name is declared there", steps: YES },
	"repeat.is.field": { says: "the name is a field of a type", steps: YES },
	"repeat.is.import": { says: "the name is imported there", steps: YES },
	"repeat.is.key": { says: "the name is a key there", steps: YES },
	"repeat.is.member": { says: "the name is a member there", steps: YES },
	"repeat.is.text": { says: "the name is not in code", steps: YES },
	"repeat.is.use": { says: "the name is used there", steps: YES },
	"repeat.wide.partly": { says: "the user also changed other parts of the line", steps: YES },
	"repeat.near.partly": { says: "the user also changed other parts of the line", steps: YES },
	"repeat.left.partly": { says: "the user also changed other parts of the line", steps: YES },
	"repeat.right.partly": { says: "the user also changed other parts of the line", steps: YES },
	"repeat.bare.partly": { says: "the user also changed other parts of the line", steps: YES },
	"repeat.together": { says: "number of rules that each change a part of the line", steps: [2, 3] },
	"repeat.gone.instead": { says: "other lines replaced the deleted ones", steps: YES },
	"repeat.after.instead": { says: "the user also deleted other lines there", steps: YES },
	"repeat.before.instead": { says: "the user also deleted other lines there", steps: YES },
	"repeat.gone.both": { says: "the next line is the same as after the user's change", steps: YES },
	"repeat.gone.other": { says: "similarity of the next line", steps: SHARES },
	"repeat.gone.indent": { says: "the lines are indented alike", steps: YES },
	"repeat.rewritten.both": { says: "the next line is the same as after the user's change", steps: YES },
	"repeat.after.both": { says: "the line below is also the same", steps: YES },
	"repeat.rewritten.other": { says: "similarity of the line below", steps: [] },
	"repeat.after.other": { says: "similarity of the line below", steps: SHARES },
	"repeat.after.indent": { says: "the lines are indented alike", steps: YES },
	"repeat.before.both": { says: "the line above is also the same", steps: YES },
	"repeat.before.other": { says: "similarity of the line above", steps: SHARES },
	"repeat.before.indent": { says: "the lines are indented alike", steps: YES },
	"template.holes": { says: "number of differences between the lines", steps: FEW },
	"template.known": { says: "the lines differ only where other changed lines differ", steps: YES },
	"template.moved": { says: "number of the line's words that the change moves or repeats", steps: [1, 2] },
	"template.otherPart": { says: "one line is in code, and the other is not", steps: YES },
	"template.adapted": { says: "rewrites several lines with other names", steps: YES },
	"template.oldLines": { says: "number of rewritten lines", steps: [2, 3] },
	"template.newLines": { says: "number of lines after the rewrite", steps: [2, 3] },
	"template.swaps": { says: "number of names that differ", steps: FEW },
	"template.swapped": { says: "share of the differing names that the rewrite contains", steps: SHARES },
	"sibling.anchored": { says: "next to a line like those next to the user's insertions", steps: YES },
	"sibling.adapted": { says: "its words are adapted to the line it is next to", steps: YES },
	"sibling.fixed": { says: "share of the adjacent line's words that occur in all such lines", steps: SHARES },
	"sibling.own": { says: "the new name was added in the same file", steps: [] },
	"sibling.run": { says: "number of list entries next to it", steps: [] },
	"sibling.near": { says: "number of equal lines on the matched side of the insertion", steps: FEW },
	"sibling.far": { says: "number of equal lines on the other side of the insertion", steps: FEW },
	"sibling.twin": { says: "an entry for a new name in another list", steps: YES },
	"sibling.swaps": { says: "number of words that differ", steps: FEW },
	"paste.swaps": { says: "number of names the user replaced", steps: FEW },
	"paste.duplicate": { says: "the copy is next to the original", steps: YES },
	"paste.variant": { says: "the name is a spelling variant of the replaced one", steps: YES },
	"calls.added": { says: "a parameter was added", steps: YES },
	"calls.removed": { says: "a parameter was removed", steps: YES },
	"calls.method": { says: "it is a method", steps: YES },
};

/** Features of a `EditComparison`, which only the trees use. */
const COMPARED: Readonly<Record<string, string>> = {
	lastAdded: "share of the inserted tokens that the user's last change inserted too",
	lastRemoved: "share of the removed tokens that the user's last change removed too",
	lastSimilar: "similarity of the line to the last one that the user changed",
	lastHere: "the user's last change is in the same file",
	lastInserts: "the user's last change inserted a line",
	lastDeletes: "the user's last change deleted a line",
	mostAdded: "largest share of the inserted tokens that a recent change inserted too",
	mostRemoved: "largest share of the removed tokens that a recent change removed too",
	mostSimilar: "similarity of the line to the most similar one that the user changed",
	equalChanges: "number of recent changes that inserted and removed the same tokens",
	oldLength: "length of the line",
	oldTokens: "number of tokens on the line",
	growth: "number of characters by which the line grows",
	insertedLength: "number of characters inserted",
	deletedLength: "number of characters deleted",
	addedTokens: "number of different tokens inserted",
	removedTokens: "number of different tokens removed",
	addedNear: "share of the inserted tokens that occur on the lines next to it",
	removedNear: "share of the removed tokens that occur on the lines next to it",
	signedDistance: "number of lines below the cursor",
	samePlace: "number of candidates for the line",
	sameRule: "number of candidates from the same rule",
	sameEdit: "number of candidates that replace the same text",
	nearer: "number of candidates from the same rule that are closer to the cursor",
	nearerOnward: "number of candidates from the same rule that come first below the cursor",
	nearerAll: "number of candidates that are closer to the cursor",
	sameQualifier: "the object or type before the change is the same as in the user's change",
	otherQualifier: "the object or type before the change differs from that in the user's change",
	sameCallee: "the change is in the arguments of the same function as the user's change",
	otherCallee: "the change is in the arguments of another function than the user's change",
	equalOld: "number of other lines in the file that are equal to the line",
	equalNew: "number of lines in the file that are equal to the new line",
	nearestTouch: "distance from the nearest line that the user changed",
	touchesAbove: "number of places above it that the user changed",
	touchesBelow: "number of places below it that the user changed",
	movesDown: "number of times that the user moved down to the next change",
	movesUp: "number of times that the user moved up to the next change",
	switches: "number of times that the user changed to another file",
	downHere: "number of times that the user moved down in this file",
	upHere: "number of times that the user moved up in this file",
	fileAge: "number of lines the user has changed in other files since",
	fromFirst: "number of lines below the user's first change in the file",
	fromLast: "number of lines below the user's last change",
	lastMove: "number of lines that the user last moved down",
	gaps: "number of blank lines between it and the nearest line that the user changed",
	oldLike: "similarity of the line to the lines next to it",
	newLike: "similarity of the new line to the lines next to it",
	sequence: "number of the user's last changes that repeat earlier ones in the same order",
	continuesAdded: "shared added tokens with the change that followed these earlier ones",
	continuesRemoved: "shared removed tokens with the change that followed these earlier ones",
	continuesLine: "similarity of the line to the one that the user changed after these earlier ones",
	continuesStep: "difference in distance from the change that followed these earlier ones",
	candidates: "number of candidates",
	files: "number of files with candidates",
};

/** The features that have weights or occur in trees, by name. Others are ignored. */
export const FEATURES: Readonly<Record<string, Feature>> = {
	...OF_ALL,
	...Object.fromEntries(Object.entries(COMPARED).map(([name, says]) => [name, { says, steps: [] }])),
	...Object.fromEntries(Object.entries(KINDS).flatMap(([kind, { says, has }]) => ofKind(kind, says, has))),
	...OF_ONE,
};

/**
 * Describes a feature. Trees also use features of a predictor or a kind of rule that have no weight; these have the
 * description of the same feature of all candidates.
 */
export function descriptionOf(name: string): string {
	for (let rest = name; ; rest = rest.slice(rest.indexOf(".") + 1)) {
		const says = (FEATURES[rest] ?? OF_RULES[rest])?.says;
		if (says !== undefined) return says;
		if (!rest.includes(".")) return "";
	}
}

function ofKind(kind: string, says: string, has: readonly string[]): [string, Feature][] {
	const own = has.map((name): [string, Feature] => {
		const { says: said, steps } = OF_RULES[name] as Feature;
		return [`${kind}.${name}`, { says: `${says}: ${said}`, steps }];
	});
	return [[kind, { says, steps: YES }], ...own];
}

/** Pairs of features that get a joint weight. */
export const CROSSED: readonly (readonly [string, string])[] = [
	["support", "age"],
	["support", "elsewhere"],
	["support", "rivals"],
	["support", "skipped"],
	["support", "similar"],
	["support", "left"],
	["support", "between"],
	["support", "echoes"],
	["support", "linesBelow"],
	["linesAbove", "linesBelow"],
	["similar", "linesBelow"],
	["age", "rank"],
	["repeat.line", "support"],
	["repeat.line", "elsewhere"],
	["repeat.wide", "support"],
	["repeat.near", "support"],
	["template.known", "support"],
	["rename", "support"],
	["rename.declared", "rename.support"],
	["repeat.gone", "support"],
	["elsewhere", "similar"],
	["elsewhere", "left"],
	["share", "similar"],
	["behind", "skipped"],
	["foreign", "support"],
	["echoes", "similar"],
	["hunk", "linesBelow"],
	["examples", "age"],
	["whole", "similar"],
];
