import { A, AcpEditor, B, lineChange } from "@segue/testing/editors/acp-editor";
import { heapUsed } from "@segue/testing/heap";
import { expect, test } from "vitest";
import { installedGrammars } from "../node/grammar-files.js";
import { startOutlineWorker } from "../node/outline-worker.js";
import { Outliner } from "./outliner.js";
import { Parsers } from "./parser.js";
import { SyntaxChecker } from "./syntax-checker.js";

// These tests crash the parser in their process, so they run in their own process.

/** Parsing this text a second time overflows the parser's stack. */
const HOSTILE = `${"<() => a>".repeat(8)}\n`.repeat(600);

test("a document that crashes the parser disables only the syntax checks and the outlines", async () => {
	const reported: string[] = [];
	const parsers = new Parsers(installedGrammars);
	await parsers.load("typescript");
	const checker = new SyntaxChecker(parsers, (why) => reported.push(why));
	const outliner = new Outliner(startOutlineWorker, (why) => reported.push(`no outlines: ${why}`), checker);

	const friendly = await AcpEditor.open({ [B]: "let cnt = 1\nshow(cnt)\nshow(cnt)\n" }, { outliner });
	const hostile = await AcpEditor.open({ [A]: HOSTILE }, { outliner });
	await outliner.settled();
	for (let version = 2; version < 6; version++) {
		hostile.didChange(A, version, lineChange(0, 0, 0, "x"));
		expect(await hostile.suggest(A, version)).toHaveProperty("suggestions");
		await outliner.settled();
	}
	expect(reported.toSorted()).toEqual([
		expect.stringMatching(/^no outlines: RuntimeError: /),
		expect.stringMatching(/^syntax checks are disabled: RuntimeError: /),
	]);

	friendly.didChange(B, 2, lineChange(0, 4, 7, "count"));
	const { suggestions } = await friendly.suggest(B, 2);
	expect(suggestions[0]).toMatchObject({ edits: [{ newText: "count" }] });
	await expect(parsers.load("python")).rejects.toBeInstanceOf(WebAssembly.RuntimeError);

	await hostile.close();
	await friendly.close();
	outliner.stop();
	// Garbage collection must not call the parser either.
	await heapUsed();
	expect(reported).toHaveLength(2);
});
