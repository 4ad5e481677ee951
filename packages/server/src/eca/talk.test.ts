import { readdirSync, readFileSync } from "node:fs";
import type { ApprovalRule } from "@segue/assist";
import { memoryPair } from "@segue/rpc";
import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { ecaEngineOf } from "@segue/testing/editors/eca-editor";
import type { ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { playTalk } from "@segue/testing/rpc/talk";
import { describe, expect, test } from "vitest";
import { serveEca } from "./eca-server.js";

const FOLDER = new URL("../../eca-talks/", import.meta.url);

const EDIT = { path: "a.txt", old_text: "one", new_text: "two" };
const usage = { inputTokens: 40, outputTokens: 2, cachedTokens: undefined, costUsd: 0.01 };

/** The model's answers in each recording, and its approval rules. */
const SCRIPTS: Readonly<Record<string, { answers: readonly ScriptedAnswer[]; rules: readonly ApprovalRule[] }>> = {
	"eca-2025-06.talk": {
		rules: [{ kind: "edit", pattern: "**", answer: "allow" }],
		answers: [
			calls(["read_file", { path: "a.txt" }]),
			calls(["edit_file", EDIT]),
			[...says("It does:\n```text\ntwo\n```\n"), { type: "usage", usage }],
		],
	},
	"current.talk": {
		rules: [],
		answers: [
			[
				{ type: "thought", text: "It says one.", signature: undefined },
				{ type: "call", id: "t1", tool: "edit_file", input: JSON.stringify(EDIT) },
			],
			[...says("It does."), { type: "usage", usage }],
			says("You are welcome."),
		],
	},
};

describe("an ECA editor", () => {
	test.each(readdirSync(FOLDER))("gets the responses recorded in %s", async (name) => {
		const conversation = await ChatFixture.begin({ files: { "a.txt": "one\n" }, ...SCRIPTS[name] });
		const [ours, theirs] = memoryPair();
		const engine = ecaEngineOf(conversation);
		const { root } = conversation.tools;
		const backend = { configure: async () => [], engineFor: async () => engine };
		const talk = readFileSync(new URL(name, FOLDER), "utf8").replaceAll("file:///workspace", `file://${root}`);
		serveEca(ours, { backend: backend as never, version: "0.0.0", report: () => {}, folder: root, now: () => 0 });
		await playTalk(talk, theirs, "editor", true);
		expect(await conversation.tools.text("a.txt")).toBe("two\n");
	});
});
