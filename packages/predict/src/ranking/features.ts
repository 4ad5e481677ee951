/** What is said of a candidate, in plain words, and the values from which on it says more. */
export interface Feature {
	readonly says: string;
	readonly steps: readonly number[];
}

const YES = [1];
const FEW = [1, 2, 3];
const SHARES = [0.3, 0.6, 0.8, 0.99];

/** Of the place, of what else there is for it, and of all rules that lead to it: the best that any of them says. */
const OF_ALL: Readonly<Record<string, Feature>> = {
	support: { says: "how often the user has done this by hand", steps: [1, 2, 3, 4] },
	share: { says: "the part of all places of the rule that the user has done", steps: [0.1, 0.2, 0.34, 0.5, 0.67, 0.8] },
	age: { says: "how many lines the user has changed since", steps: [1, 2, 4, 8] },
	rank: { says: "how many places of the rule are nearer", steps: FEW },
	left: { says: "how many places are left", steps: [2, 3, 6, 12] },
	skipped: { says: "how many places the user went past and left as they are", steps: [1, 2, 4] },
	against: { says: "how often the user did something else where the rule applies", steps: [1, 2] },
	similar: { says: "how much of the line is as where the user did this", steps: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99] },
	linesAbove: { says: "how much the line above is like the one above where the user did this", steps: SHARES },
	linesBelow: { says: "the same of the line below", steps: SHARES },
	hunk: { says: "where the user did this, the lines beside it were changed, too", steps: [1, 2] },
	adjoins: { says: "the user has done this on the line above or below", steps: YES },
	foreign: { says: "the user has not yet done this in the file", steps: YES },
	sameThing: { says: "the name means there what it meant where the user changed it", steps: YES },
	otherThing: { says: "the name means something else there", steps: YES },
	kept: { says: "a name that goes means something there", steps: YES },
	lost: { says: "a name that goes means nothing there any more", steps: YES },
	bound: { says: "a name that comes means something there", steps: YES },
	unbound: { says: "a name that comes would mean nothing there", steps: YES },
	elsewhere: { says: "it is in another file than the cursor", steps: YES },
	untouched: { says: "the user has changed nothing in the file", steps: YES },
	distance: { says: "how many lines it is from the cursor", steps: [3, 7, 20, 60, 200] },
	behind: { says: "it is above the cursor", steps: YES },
	between: { says: "the user has changed lines above it and below it", steps: YES },
	beyond: { says: "the user has changed lines above it only", steps: YES },
	ahead: { says: "the user has changed lines below it only", steps: YES },
	comment: { says: "it is in a comment", steps: YES },
	string: { says: "it is in a string", steps: YES },
	import: { says: "its line takes something from elsewhere", steps: YES },
	test: { says: "the file is of tests", steps: YES },
	examples: { says: "how many lines the user has changed in all", steps: [2, 4, 8, 16] },
	echoes: { says: "the part of the user's last changes that repeat earlier ones", steps: [0.1, 0.3, 0.5, 0.7, 0.9] },
	edits: { says: "how many parts of the line it changes", steps: [2, 3] },
	replaced: { says: "the part of a name's places where it went, if it goes here", steps: [0.02, 0.1, 0.3, 0.6, 0.85] },
	standing: { says: "a name that goes is still declared", steps: YES },
	orphaned: { says: "a name that goes was declared, and is no more", steps: YES },
	missing: { says: "a name that comes is not in the file yet", steps: YES },
	coined: { says: "a name that comes was nowhere when editing began", steps: YES },
	declared: { says: "a name that comes is declared", steps: YES },
	doomed: { says: "the part of a name's places where it went, if it stays here", steps: [0.02, 0.1, 0.3, 0.6, 0.85] },
	unbalanced: { says: "it opens or closes a bracket that is not closed or opened on the line", steps: YES },
	predictors: { says: "how many predictors agree", steps: [2, 3] },
	rules: { says: "how many rules agree", steps: [2, 3, 4, 6] },
	rivals: { says: "how many others change the same part of the line in another way", steps: FEW },
	beside: { says: "how many others change another part of the line", steps: FEW },
	whole: { says: "how many others change this part of the line and more", steps: FEW },
};

/** Of one predictor, or one of the kinds of rules that it has. */
const OF_RULES: Readonly<Record<string, Feature>> = {
	support: { says: "how often the user has done it", steps: [2, 3, 4] },
	age: { says: "how many lines the user has changed since", steps: [1, 2, 4, 8] },
	left: { says: "how many places are left", steps: [2, 3, 6, 12] },
	skipped: { says: "how many places the user went past", steps: [1, 2, 4] },
	rank: { says: "how many places are nearer", steps: FEW },
	tokens: { says: "how many tokens it is known by", steps: [3, 5, 8, 11] },
	lines: { says: "how many lines come or go", steps: FEW },
};

const KINDS: Readonly<Record<string, { readonly says: string; readonly has: readonly string[] }>> = {
	rename: { says: "a name that became another", has: ["support", "age", "left", "skipped", "rank"] },
	template: { says: "what was done to a line like it", has: ["support", "age", "left", "skipped", "rank"] },
	repeat: { says: "the same again", has: ["support", "age", "left", "skipped", "rank"] },
	"repeat.line": { says: "the whole line is the same", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.wide": { says: "three tokens on either side are", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.near": { says: "one token on either side is", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.left": { says: "two tokens before it are", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.right": { says: "two tokens after it are", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.bare": { says: "what changed is, and nothing else", has: ["support", "left", "skipped", "rank", "tokens"] },
	"repeat.gone": { says: "whole lines went", has: ["support", "left", "skipped", "rank", "tokens", "lines"] },
	"repeat.after": { says: "lines came below a line", has: ["support", "left", "skipped", "rank", "tokens", "lines"] },
	"repeat.before": { says: "lines came above a line", has: ["support", "left", "skipped", "rank", "tokens", "lines"] },
	"repeat.rewritten": { says: "lines became others", has: ["support", "left", "skipped", "rank", "tokens", "lines"] },
	sibling: { says: "lines that similar places have", has: ["support", "age", "left", "skipped", "rank", "lines"] },
	paste: { says: "a name of what was pasted", has: ["support", "left", "rank", "lines"] },
	calls: { says: "calls of what has other parameters", has: ["support", "age", "left", "skipped", "rank"] },
};

const OF_ONE: Readonly<Record<string, Feature>> = {
	"rename.declared": { says: "the user renamed it where it is declared", steps: YES },
	"rename.short": { says: "the name has three letters or fewer", steps: YES },
	"repeat.telling": { says: "how long its longest name is", steps: [1, 2, 4, 7, 12] },
	"repeat.signs": { says: "it has no word at all", steps: YES },
	"repeat.files": { says: "in how many files the user did this", steps: [2, 3] },
	"repeat.comes": { says: "how many tokens come", steps: [1, 2, 4, 8] },
	"repeat.goes": { says: "how many tokens go", steps: [1, 2, 4, 8] },
	"repeat.tokensBefore": { says: "how many tokens before it are the same", steps: [1, 2, 3, 5] },
	"repeat.tokensAfter": { says: "how many tokens after it are the same", steps: [1, 2, 3, 5] },
	"repeat.indent": { says: "the line is indented as the other", steps: YES },
	"repeat.otherPart": {
		says: "it is in code and the other in a comment or a string, or the other way round",
		steps: YES,
	},
	"repeat.name": { says: "it is one name for another", steps: YES },
	"repeat.otherRole": { says: "the name does something else there than where the user changed it", steps: YES },
	"repeat.is.declaration": { says: "the name is declared there", steps: YES },
	"repeat.is.field": { says: "it declares a part of a type", steps: YES },
	"repeat.is.import": { says: "it is taken from another file", steps: YES },
	"repeat.is.key": { says: "it is a key", steps: YES },
	"repeat.is.member": { says: "it is looked up in something", steps: YES },
	"repeat.is.text": { says: "it is not code", steps: YES },
	"repeat.is.use": { says: "it is used", steps: YES },
	"repeat.wide.partly": { says: "more than this changed on the line", steps: YES },
	"repeat.near.partly": { says: "more than this changed on the line", steps: YES },
	"repeat.left.partly": { says: "more than this changed on the line", steps: YES },
	"repeat.right.partly": { says: "more than this changed on the line", steps: YES },
	"repeat.bare.partly": { says: "more than this changed on the line", steps: YES },
	"repeat.together": { says: "how many rules change a part of the line each", steps: [2, 3] },
	"repeat.gone.instead": { says: "other lines came in their place", steps: YES },
	"repeat.after.instead": { says: "other lines went there", steps: YES },
	"repeat.before.instead": { says: "other lines went there", steps: YES },
	"repeat.gone.both": { says: "what follows is the same as where the user did this", steps: YES },
	"repeat.gone.other": { says: "how much of what follows is", steps: SHARES },
	"repeat.gone.indent": { says: "the lines are indented alike", steps: YES },
	"repeat.rewritten.both": { says: "what follows is the same as where the user did this", steps: YES },
	"repeat.after.both": { says: "the line below is the same, too", steps: YES },
	"repeat.after.other": { says: "how much of the line below is", steps: SHARES },
	"repeat.after.indent": { says: "the lines are indented alike", steps: YES },
	"repeat.before.both": { says: "the line above is the same, too", steps: YES },
	"repeat.before.other": { says: "how much of the line above is", steps: SHARES },
	"repeat.before.indent": { says: "the lines are indented alike", steps: YES },
	"template.holes": { says: "in how many places the lines differ", steps: FEW },
	"template.known": { says: "they differ only where other lines that were changed do", steps: YES },
	"template.moved": { says: "how many of the line's own words are written elsewhere in it", steps: [1, 2] },
	"template.otherPart": { says: "one is code and the other is not", steps: YES },
	"sibling.anchored": { says: "it stands beside a line like the others", steps: YES },
	"sibling.adapted": { says: "its words are changed as the anchor's are", steps: YES },
	"sibling.fixed": { says: "the part of the anchor's words that all anchors have", steps: SHARES },
	"sibling.near": { says: "how many lines on the anchor's side are alike", steps: FEW },
	"sibling.far": { says: "how many lines on the other side are", steps: FEW },
	"sibling.twin": { says: "a block that has a twin", steps: YES },
	"sibling.swaps": { says: "how many words of the twin are others", steps: FEW },
	"paste.swaps": { says: "how many names the user has replaced", steps: FEW },
	"paste.duplicate": { says: "the copy stands beside what was copied", steps: YES },
	"paste.variant": { says: "the name is another form of the one replaced", steps: YES },
	"calls.added": { says: "a parameter came", steps: YES },
	"calls.removed": { says: "a parameter went", steps: YES },
	"calls.method": { says: "it is a method", steps: YES },
};

/** All that has a weight, by its name. What is not here is not weighed. */
export const FEATURES: Readonly<Record<string, Feature>> = {
	...OF_ALL,
	...Object.fromEntries(Object.entries(KINDS).flatMap(([kind, { says, has }]) => ofKind(kind, says, has))),
	...OF_ONE,
};

function ofKind(kind: string, says: string, has: readonly string[]): [string, Feature][] {
	const own = has.map((name): [string, Feature] => {
		const { says: said, steps } = OF_RULES[name] as Feature;
		return [`${kind}.${name}`, { says: `${says}: ${said}`, steps }];
	});
	return [[kind, { says, steps: YES }], ...own];
}

/** Pairs that say more together than each by itself. */
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
