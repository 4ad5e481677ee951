import { describe, expect, test } from "vitest";
import type { EcaVersion } from "../eca-session.js";
import { ecaVersionOf, encoderFor, type Send } from "./encoder.js";

/** Which form an editor that says this speaks, by what it sends in `initialize`. */
const EDITORS: readonly (readonly [
	who: string,
	codeAssistant: object | undefined,
	options: object,
	form: EcaVersion,
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
	["an editor that names the first form", { rewrite: true }, { protocol: "2025-06-09" }, "2025-06-09"],
	["an editor that names today's form", { doc: true }, { protocol: "current" }, "current"],
	["an editor that names both", { doc: true }, { protocol: "merged" }, "merged"],
	["an editor that names none that there is", { chat: true }, { protocol: "2030" }, "merged"],
];

describe("the form of the protocol", () => {
	test.each(EDITORS)("is told by %s", (_who, codeAssistant, initializationOptions, form) => {
		expect(
			ecaVersionOf({ capabilities: { codeAssistant }, initializationOptions: { ...initializationOptions } }, undefined),
		).toBe(form);
	});

	test("is what whoever started us says, before all else", () => {
		const params = { capabilities: { codeAssistant: { doc: true } }, initializationOptions: { protocol: "merged" } };
		expect(ecaVersionOf(params, "current")).toBe("current");
	});
});

test("what a turn took is told with the pieces of that turn alone", () => {
	const received: Parameters<Send>[0][] = [];
	const telling = encoderFor(
		"merged",
		() => false,
		(each) => received.push(each),
	);
	const text = { role: "assistant", content: { type: "text", text: "a" } } as const;
	const usage = { role: "system", content: { type: "usage", sessionTokens: 42 } } as const;
	telling.show(usage);
	telling.tell(text);
	telling.tell(usage);
	telling.complete();
	telling.tell(text);
	telling.complete();
	expect(received.map(({ metadata }) => metadata?.tokensUsed)).toEqual([
		undefined,
		undefined,
		42,
		42,
		undefined,
		undefined,
	]);
});
