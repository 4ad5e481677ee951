import { describe, expect, test } from "vitest";
import { type EcaVersion, ecaVersionOf, encoderFor } from "./eca-version.js";
import type { SendContent } from "./encoder.js";

/** Editors' `initialize` params and the versions detected from them. */
const EDITORS: readonly (readonly [
	who: string,
	codeAssistant: object | undefined,
	options: object,
	version: EcaVersion,
])[] = [
	["the first specification", { chat: true, doc: true, edit: true, fix: true }, {}, "2025-06-09"],
	["a client for the first specification with one capability", { fix: false }, {}, "2025-06-09"],
	["Emacs in June 2025", { chat: true }, {}, "merged"],
	["current Emacs", { chat: true, editor: { diagnostics: true } }, { chatAgent: "code" }, "current"],
	["an editor with kebab-case keys", { chat: true }, { "chat-agent": "code" }, "current"],
	["Emacs with a former option name", { chat: true }, { chatBehavior: "agent" }, "current"],
	["VS Code", { chat: true, rewrite: true, chatCapabilities: { askQuestion: true } }, {}, "current"],
	["a client that only supports questions", { chatCapabilities: {} }, {}, "current"],
	["an editor without capabilities", undefined, {}, "merged"],
	["an editor with empty capabilities", {}, {}, "merged"],
	["an editor that requests the first version", { rewrite: true }, { protocol: "2025-06-09" }, "2025-06-09"],
	["an editor that requests the current version", { doc: true }, { protocol: "current" }, "current"],
	["an editor that requests both", { doc: true }, { protocol: "merged" }, "merged"],
	["an editor that requests an unknown version", { chat: true }, { protocol: "2030" }, "merged"],
];

describe("the version of the protocol", () => {
	test.each(EDITORS)("is detected for %s", (_who, codeAssistant, initializationOptions, version) => {
		expect(
			ecaVersionOf({ capabilities: { codeAssistant }, initializationOptions: { ...initializationOptions } }, undefined),
		).toBe(version);
	});

	test("can be overridden by the command line", () => {
		const params = { capabilities: { codeAssistant: { doc: true } }, initializationOptions: { protocol: "merged" } };
		expect(ecaVersionOf(params, "current")).toBe("current");
	});
});

test("a turn's token count is sent only with that turn's content", () => {
	const received: Parameters<SendContent>[0][] = [];
	const encoder = encoderFor(
		"merged",
		() => false,
		(each) => received.push(each),
	);
	const text = { role: "assistant", content: { type: "text", text: "a" } } as const;
	const usage = { role: "system", content: { type: "usage", sessionTokens: 42 } } as const;
	encoder.send(usage);
	encoder.sendInTurn(text);
	encoder.sendInTurn(usage);
	encoder.complete();
	encoder.sendInTurn(text);
	encoder.complete();
	expect(received.map(({ metadata }) => metadata?.tokensUsed)).toEqual([
		undefined,
		undefined,
		42,
		42,
		undefined,
		undefined,
	]);
});
