import { describe, expect, test } from "vitest";
import { type EcaVersion, ecaVersionOf, encoderFor } from "./eca-version.js";
import type { SendContent } from "./encoder.js";

/** Which version an editor speaks, by what it sends in `initialize`. */
const EDITORS: readonly (readonly [
	who: string,
	codeAssistant: object | undefined,
	options: object,
	version: EcaVersion,
])[] = [
	["the first specification", { chat: true, doc: true, edit: true, fix: true }, {}, "2025-06-09"],
	["a client of the first specification that can do one thing", { fix: false }, {}, "2025-06-09"],
	["Emacs of June 2025", { chat: true }, {}, "merged"],
	["Emacs of today", { chat: true, editor: { diagnostics: true } }, { chatAgent: "code" }, "current"],
	["an editor that spells its keys as Clojure does", { chat: true }, { "chat-agent": "code" }, "current"],
	["Emacs with an old word", { chat: true }, { chatBehavior: "agent" }, "current"],
	["VS Code", { chat: true, rewrite: true, chatCapabilities: { askQuestion: true } }, {}, "current"],
	["a client that asks questions only", { chatCapabilities: {} }, {}, "current"],
	["an editor that says nothing", undefined, {}, "merged"],
	["an editor that says no word of ours", {}, {}, "merged"],
	["an editor that names the first version", { rewrite: true }, { protocol: "2025-06-09" }, "2025-06-09"],
	["an editor that names the current version", { doc: true }, { protocol: "current" }, "current"],
	["an editor that names both", { doc: true }, { protocol: "merged" }, "merged"],
	["an editor that names none that there is", { chat: true }, { protocol: "2030" }, "merged"],
];

describe("the version of the protocol", () => {
	test.each(EDITORS)("is told by %s", (_who, codeAssistant, initializationOptions, version) => {
		expect(
			ecaVersionOf({ capabilities: { codeAssistant }, initializationOptions: { ...initializationOptions } }, undefined),
		).toBe(version);
	});

	test("is what whoever started us says, before all else", () => {
		const params = { capabilities: { codeAssistant: { doc: true } }, initializationOptions: { protocol: "merged" } };
		expect(ecaVersionOf(params, "current")).toBe("current");
	});
});

test("the tokens of a turn are sent with the content of that turn alone", () => {
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
