import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { Outliner } from "../outline/outliner.js";
import { startOutlineWorker } from "./outline-worker.js";

test("a worker thread parses documents until it is stopped", async () => {
	const reported: string[] = [];
	const outliner = new Outliner(startOutlineWorker, (why) => reported.push(why));
	const outlines = outliner.outlines();
	const document = { uri: "a.ts", languageId: "typescript", version: 1, text: Text.of("const one = 1\nlog(one)\n") };
	outlines.update(document);
	await outliner.settled();
	const text = document.text.replace(20, 20, "s");
	outlines.update({ ...document, text });
	await outliner.settled();
	const outline = outlines.now().get("a.ts");
	expect(outline?.text).toBe(text);
	expect(outline?.meaningOf("one", 18)).toMatchObject({ kind: "variable", isShared: true });
	expect(outline?.meaningOf("ones", 18)).toBe("free");
	outliner.stop();
	await outliner.settled();
	expect(outlines.now().size).toBe(0);
	expect(reported).toEqual([]);
});
