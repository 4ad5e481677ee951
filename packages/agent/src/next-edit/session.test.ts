import { type Prediction, predict, type Scene, type Workspace } from "@segue/predict";
import { heapUsed } from "@segue/testing/heap";
import { isAll } from "@segue/testing/setup/tier";
import { Change, Text } from "@segue/text";
import { expect, test } from "vitest";
import { inProcessOutliner } from "../node/in-process-outliner.js";
import type { Predict } from "./models.js";
import { NO_CONTEXT } from "./request.js";
import { NextEditSession } from "./session.js";

const WORKSPACE: Workspace = { uri: undefined, folders: [], repository: undefined };
const URI = "file:///a.ts";
const outliner = await inProcessOutliner();

function sessionWith(predict: Predict): NextEditSession {
	const outlines = outliner.outlines();
	return new NextEditSession({ kinds: new Set(["jump"]), workspace: WORKSPACE, predict, outlines, now: () => 0 });
}

async function suggest(session: NextEditSession, version: number, cursor: number) {
	const request = { uri: URI, version, cursor, anchor: cursor, trigger: "automatic", context: NO_CONTEXT } as const;
	return session.suggest(request, { signal: new AbortController().signal });
}

test("passes the outlines' parser to the predictor", async () => {
	const scenes: Scene[] = [];
	const session = sessionWith((scene): Prediction => {
		scenes.push(scene);
		return { silence: "nothing-found" };
	});
	session.didOpen({ uri: URI, languageId: "typescript", version: 1, text: Text.of("let a = (1\n") });
	await suggest(session, 1, 0);
	const [scene] = scenes as [Scene];
	expect(scene.parse?.(scene.document, { from: 0, to: 10 })).toEqual({ total: 1, inRange: 1 });
	expect(scene.outlines.size).toBe(1);
	await session.close();
});

// After this many edits every bounded list in a session is full: events, changed locations, rules, rejected
// suggestions.
const SETTLED_EDITS = 400;
const LINES = 40;

test.runIf(isAll)("does not use more memory once its history is full", { timeout: 240_000 }, async () => {
	const user = new TypingUser(sessionWith(predict));
	/** The heap after several rounds of edits. Measuring after each round frees compiled code that is no longer used. */
	const after = async (rounds: number) => {
		let used = 0;
		for (let i = 0; i < rounds; i++) {
			await user.edit(SETTLED_EDITS);
			used = await heapUsed();
		}
		return used;
	};
	const settled = await after(3);
	const later = await after(8);
	expect(user.suggested).toBeGreaterThan(10);
	// A kilobyte kept for each edit would make it about 1.1.
	expect(later / settled).toBeLessThan(1.05);
	await user.session.close();
});

/** Replaces one line after another with text of constant length. */
class TypingUser {
	suggested = 0;
	private version = 1;
	private text = Text.of(Array.from({ length: LINES }, (_, i) => lineOf(i, 0)).join(""));

	constructor(readonly session: NextEditSession) {
		session.didOpen({ uri: URI, languageId: "typescript", version: 1, text: this.text });
	}

	async edit(times: number): Promise<void> {
		for (let i = 0; i < times; i++) {
			// A step that is coprime to the number of lines visits every line.
			const line = (this.version * 7) % LINES;
			const [from, to] = [this.text.lineStart(line), this.text.lineStart(line + 1)];
			const change = Change.of([{ from, to, insert: lineOf(line, this.version) }], this.text.length);
			this.text = change.apply(this.text);
			this.session.didChange({ uri: URI, version: ++this.version, change, isWhole: false });
			const answer = await suggest(this.session, this.version, from);
			if (!("suggestions" in answer)) continue;
			this.suggested++;
			this.session.reject(answer.suggestions[0].id, "ignored");
		}
	}
}

const NAMES = ["total", "sum", "count", "width", "height"];

function lineOf(line: number, version: number): string {
	const name = NAMES[Math.floor(version / LINES) % NAMES.length];
	return `const value${line} = area(${name}, ${(version + line) % 10})\n`;
}
