import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Scene } from "@segue/predict";
import { A, AcpEditor, B, lineChange, sceneRecorder } from "@segue/testing/editors/acp-editor";
import { expect, test } from "vitest";

const outliner = await inProcessOutliner();

/**
 * Returns the key and parsed text of each outline in the last scene, and the meaning of `one` at the end of the text.
 */
function lastOutlines({ scenes }: { readonly scenes: readonly Scene[] }): unknown {
	return [...(scenes.at(-1)?.outlines ?? [])].map(([key, outline]) => {
		const meaning = outline.meaningOf("one", outline.text.length);
		return [key, outline.text.toString(), typeof meaning === "object" ? meaning.kind : meaning];
	});
}

test("a session updates its outlines as documents are opened, changed and closed", async () => {
	const look = sceneRecorder();
	const editor = await AcpEditor.open({ [A]: "let one = 1", [B]: "two" }, { predict: look.predict, outliner });
	await editor.suggest(A, 1);
	expect(lastOutlines(look)).toEqual([
		[A, "let one = 1", "variable"],
		[B, "two", "free"],
	]);
	editor.didChange(A, 2, lineChange(0, 4, 7, "two"));
	editor.didChange(B, 2, { text: "function one() {}" });
	await editor.suggest(A, 2);
	expect(lastOutlines(look)).toEqual([
		[A, "let two = 1", "free"],
		[B, "function one() {}", "function"],
	]);
	editor.didClose(B);
	await editor.suggest(A, 2);
	expect(lastOutlines(look)).toEqual([[A, "let two = 1", "free"]]);
});

test("a session without an outliner has no outlines", async () => {
	const look = sceneRecorder();
	const editor = await AcpEditor.open({ [A]: "let one = 1" }, { predict: look.predict });
	await editor.suggest(A, 1);
	expect(lastOutlines(look)).toEqual([]);
});

test("an outliner drops the documents of a closed session and of a disconnected editor", async () => {
	const look = sceneRecorder();
	const counted = { now: () => 0 };
	const own = await inProcessOutliner();
	const outlines = own.outlines.bind(own);
	own.outlines = () => {
		const made = outlines();
		counted.now = () => made.now().size;
		return made;
	};
	const editor = await AcpEditor.open({ [A]: "let one = 1" }, { predict: look.predict, outliner: own });
	await editor.suggest(A, 1);
	expect(counted.now()).toBe(1);
	await editor.close();
	expect(counted.now()).toBe(0);

	await editor.start();
	editor.didOpen(A, "let one = 1");
	await editor.suggest(A, 1);
	expect(counted.now()).toBe(1);
	editor.client.close();
	await new Promise(setImmediate);
	expect(counted.now()).toBe(0);
});
