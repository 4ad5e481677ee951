import { EditorFixture } from "@segue/testing/editors/editor-fixture";
import { settled } from "@segue/testing/rpc/peers";
import { readContentChanges, Text } from "@segue/text";
import { expect, test } from "vitest";

const A = "file:///project/a.ts";

/** Returns every version of a document's text that the agent has had since the document was last opened. */
function textsOf({ agent }: EditorFixture): string[] {
	const texts: string[] = [];
	for (const { method, params } of agent.received) {
		const { uri, text, contentChanges } = params as { uri: string; text: string; contentChanges: [] };
		if (uri !== A) continue;
		if (method === "document/didOpen") texts.splice(0, texts.length, text);
		if (method !== "document/didChange") continue;
		const before = Text.of(texts.at(-1) ?? "");
		texts.push(readContentChanges(before, contentChanges, "utf-16").apply(before).toString());
	}
	return texts;
}

test("an agent that starts late receives the user's earlier edits in order", async () => {
	const stage = new EditorFixture();
	stage.host.open(A, "one\ntwo");
	stage.host.focus(A);
	stage.host.edit(A, [{ from: 0, to: 3, insert: "1" }]);
	stage.clock.advance(2000);
	stage.host.edit(A, [{ from: 2, to: 5, insert: "2" }]);
	await settled();
	expect(textsOf(stage)).toEqual(["one\ntwo", "1\ntwo", "1\n2"]);
});

test("a restarted agent receives the edits again, with increasing versions", async () => {
	const stage = await EditorFixture.resting(A, "one");
	for (const insert of ["1", "2", "3"]) {
		stage.host.edit(A, [{ from: 0, to: 1, insert }]);
		await stage.pause();
	}
	stage.forget();
	stage.agent.die();
	await stage.pause();
	expect(textsOf(stage)).toEqual(["one", "1ne", "2ne", "3ne"]);
	const versions = stage.agent.received.flatMap(({ params }) => (params["uri"] === A ? [params["version"]] : []));
	expect(versions.slice(0, 4)).toEqual([1, 2, 3, 4]);
});

test("an agent does not receive edits from before an external change", async () => {
	const stage = await EditorFixture.resting(A, "one");
	stage.host.edit(A, [{ from: 0, to: 0, insert: "1" }]);
	await stage.pause();
	stage.host.close(A);
	await stage.open(A, "two");
	stage.forget();
	stage.agent.die();
	await stage.pause();
	expect(textsOf(stage)).toEqual(["two"]);
});

test("earlier edits to a previously ignored file are not sent", async () => {
	const ignore = "file:///project/.gitignore";
	const stage = await EditorFixture.resting("file:///project/b.ts", "", ({ host }) => host.disk.set(ignore, "a.ts\n"));
	await stage.open(A, "secret");
	stage.host.edit(A, [{ from: 0, to: 6, insert: "open" }]);
	await stage.pause();
	stage.host.open(ignore, "");
	stage.host.save(ignore);
	await stage.pause();
	expect(textsOf(stage)).toEqual(["open"]);
	stage.agent.die();
	await stage.pause();
	expect(textsOf(stage)).toEqual(["open"]);
	expect(JSON.stringify(stage.agent.received)).not.toContain("secret");
});

test("a suggestion typed by the user is sent before its acceptance", async () => {
	const stage = await EditorFixture.offering(A, "a", (one) => [one.edit(A, 1, 1, "b")]);
	stage.host.type("b");
	await settled();
	expect(stage.agent.received.map(({ method }) => method)).toEqual(["document/didChange", "nes/accept"]);
	expect(stage.verdicts).toEqual(['1 accept {"segue":{"typed":true}}']);
});
