import { Random, type RandomFile, randomFiles, randomProgram } from "../random-code.js";

/** A user's task: the open documents, the earlier changes, and the text to type letter by letter. */
export interface Scenario {
	/** The first one is edited. */
	readonly documents: readonly RandomFile[];
	/** Earlier changes to whole lines in the first document. */
	readonly before: readonly { readonly line: number; readonly text: string }[];
	readonly line: number;
	readonly character: number;
	readonly typed: string;
}

export const SCENARIO_KINDS = ["rename", "repeat", "nothing"] as const;

/** The remaining edits: uses of a renamed name, lines similar to two changed lines, or none. */
export type ScenarioKind = (typeof SCENARIO_KINDS)[number];

// The number of other documents that contain the changed code, regardless of the number of documents.
const SHARING = 4;
const PLACES = 8;
const AROUND = 3 * PLACES + 6;

/** Creates a scenario in a workspace of this size. `ownLines` is the length of the edited document. */
export function scenarioOf(kind: ScenarioKind, size: { documents: number; lines: number; ownLines: number }): Scenario {
	const own = randomProgram(size.ownLines, new Random(21));
	const middle = own.length >> 1;
	// The lines around the cursor affect the suggestions, so keep them the same at any file length.
	for (let i = -AROUND; i <= AROUND; i++)
		own[middle + i] = `\tconst shelf${AROUND + i} = stockroom(aisle${AROUND + i});`;
	for (let i = 1; i <= PLACES; i++) own[middle + 3 * i] = USES[kind](i);
	const { before, line: typedOn, typed } = TYPING_TASKS[kind];
	own[middle] = typedOn.replace("▮", "");
	for (const [i, task] of before.entries()) own[middle - 3 * (i + 1)] = task.old;
	const others = randomFiles(size.documents - 1, size.lines, 22).map((one, i) => {
		const isSharing = i % Math.max(Math.floor((size.documents - 1) / SHARING), 1) === 0;
		return isSharing ? { ...one, text: `${one.text}\n${USES[kind](i)}` } : one;
	});
	return {
		documents: [{ uri: "file:///home/someone/shop/src/own.ts", text: own.join("\n") }, ...others],
		before: before.map(({ now }, i) => ({ line: middle - 3 * (i + 1), text: now })),
		line: middle,
		character: typedOn.indexOf("▮"),
		typed,
	};
}

const USES: Readonly<Record<ScenarioKind, (i: number) => string>> = {
	rename: (i) => `\tconst parcel${i} = weighParcel(scale, ${i});`,
	repeat: (i) => `\ttrackParcel("parcel ${i}", courier);`,
	nothing: (i) => `\tparcels.push(wrapped${i});`,
};

interface TypingTask {
	readonly before: readonly { readonly old: string; readonly now: string }[];
	/** The line, with ▮ where the user types. */
	readonly line: string;
	readonly typed: string;
}

const TYPING_TASKS: Readonly<Record<ScenarioKind, TypingTask>> = {
	rename: { before: [], line: "export function weighParcel▮(scale: Scale, times: number) {", typed: "Exactly" },
	repeat: {
		before: [{ old: '\ttrackParcel("first", courier);', now: '\ttrackParcel("first", courier, deadline);' }],
		line: '\ttrackParcel("second", courier▮);',
		typed: ", deadline",
	},
	nothing: {
		before: [{ old: "", now: "\tconst ribbonColour = pickRibbon();" }],
		line: "\t▮",
		typed: "tieRibbonAround(knotted);",
	},
};
