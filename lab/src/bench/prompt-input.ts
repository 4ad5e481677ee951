// Benchmark: building a prompt input, by workspace size

import { type PromptInput, promptInputOf } from "@segue/models";
import type { Scene } from "@segue/predict";
import { clearProgress, showProgress } from "../progress-bar.js";
import { type Measurement, report } from "./measurement.js";
import type { Scenario } from "./predict/scenario.js";
import { TypingUser } from "./predict/typing-user.js";
import { Random, randomFiles, randomProgram } from "./random-code.js";
import { interleave, percentile } from "./rounds.js";

const LINES = 500;
const DOCUMENTS = [10, 100, 1000] as const;
const WARM_UP_ROUNDS = 100;
const ROUNDS = 300;

/**
 * Creates a scenario in which a user types in a program that shares names with many others. One of the names is defined
 * in exactly one other file.
 */
function scenarioAmong(documents: number): Scenario {
	const own = randomProgram(LINES, new Random(21));
	const line = LINES >> 1;
	own[line - 1] = "\tconst shelf = stockroom(aisle);";
	own[line] = "\t";
	const others = randomFiles(documents - 1, LINES, 22);
	const last = others.at(-1);
	if (last === undefined) throw new RangeError("needs at least two documents");
	const defining = { ...last, text: `${last.text}\nexport function stockroom(aisle: number) {\n\treturn aisle;\n}\n` };
	return {
		documents: [
			{ uri: "file:///home/someone/shop/src/own.ts", text: own.join("\n") },
			...others.slice(0, -1),
			defining,
		],
		before: [{ line: line + 20, text: "\tconst ribbonColour = pickRibbon();" }],
		line,
		character: 1,
		typed: "tieRibbonAround(shelf, knotted);",
	};
}

/** Measures building prompt inputs for scenes in a workspace as a user types. */
class PromptInputTimer {
	input: PromptInput | undefined;
	private scene: Scene | undefined;
	private readonly user: TypingUser;

	constructor(documents: number) {
		const take = (scene: Scene) => {
			this.scene = scene;
			return { silence: "nothing-found" } as const;
		};
		this.user = new TypingUser(scenarioAmong(documents), take);
	}

	/** Types a key and returns the time taken to build the prompt input, in milliseconds. */
	type(): number {
		this.user.type();
		if (this.scene === undefined) throw new Error("the predictor was not called");
		const start = performance.now();
		const input = promptInputOf(this.scene);
		const took = performance.now() - start;
		if (typeof input === "string") throw new Error(input);
		this.input = input;
		return took;
	}
}

showProgress("opening");
const timers = DOCUMENTS.map((documents) => new PromptInputTimer(documents));
const firsts = timers.map((timer) => timer.type());
const turns = Object.fromEntries(timers.map((timer, i) => [`${i}`, () => timer.type()]));
await interleave(turns, WARM_UP_ROUNDS, () => showProgress("warming up"));
const samples = await interleave(turns, ROUNDS, (round) => showProgress(`round ${round + 1} of ${ROUNDS}`));
clearProgress();

for (const [i, { input }] of timers.entries()) {
	if (input?.related.length === 0) throw new Error(`no related snippets among ${DOCUMENTS[i]} documents`);
}
const nameOf = (documents: number) => `${documents.toLocaleString("en-US")} documents of ${LINES} lines`;
const measurements = [50, 95].flatMap((percent) => {
	const values = DOCUMENTS.map((_, i) => percentile(samples[`${i}`] ?? [], percent));
	const against = { name: nameOf(DOCUMENTS[0]), value: values[0] ?? 0 };
	return DOCUMENTS.map((documents, i): Measurement => {
		const figure = `prompt input with ${nameOf(documents)}, p${percent}`;
		const value = values[i] ?? 0;
		return i === 0 ? { figure, value, unit: "ms" } : { figure, value, unit: "ms", against, target: { timesAtMost: 2 } };
	});
});
// The first prompt input fills the caches.
const first = firsts.map((value, i): Measurement => {
	return { figure: `first prompt input with ${nameOf(DOCUMENTS[i] ?? 0)}`, value, unit: "ms" };
});
report([...measurements, ...first], process.argv);
