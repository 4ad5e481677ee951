import { existsSync } from "node:fs";
import path from "node:path";
import type { Client, ToolCall } from "@segue/assist";
import { QuirkyAgents, quirkyAgent } from "@segue/testing/agents/quirky-agent";
import { ECA_2025_06, ECA_CURRENT, EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";
import type { EcaEngine } from "../backend.js";
import { ContentBuilder } from "../encoding/content-builder.js";
import { PendingApprovals } from "./pending-approvals.js";

/** Starts an editor with an external agent, which runs its prompts as commands. */
function withAgent(flags: readonly string[] = [], version: object = ECA_CURRENT): Promise<EcaEditor> {
	const circumstances = {
		files: { "a.txt": "one\n" },
		agent: { command: quirkyAgent(...flags), start: new QuirkyAgents().start, report: () => {} },
		engine: () => ({ agent: "quirky" }),
	};
	return EcaEditor.ready(circumstances, version);
}

/** Returns the approval requests shown to the user, with the ids for the answers. */
function questions(editor: EcaEditor): { id: string; summary: string }[] {
	return editor
		.contents("toolCallRun")
		.filter(({ manualApproval }) => manualApproval === true)
		.map(({ id, summary }) => ({ id: String(id), summary: String(summary) }));
}

async function asked(editor: EcaEditor, count: number): Promise<string> {
	await editor.until(() => questions(editor).length >= count);
	return questions(editor)[count - 1]?.id ?? "";
}

function answer(editor: EcaEditor, toolCallId: string, isYes: boolean): void {
	editor.notify(isYes ? "chat/toolCallApprove" : "chat/toolCallReject", { chatId: "c", toolCallId });
}

function texts(editor: EcaEditor): string[] {
	return editor.transcript
		.filter((each) => /^assistant text/.test(each))
		.map((each) => each.slice("assistant text ".length));
}

describe("an approval", () => {
	test("covers only what was shown, so changes to the same call need another approval", async () => {
		const editor = await withAgent();
		const turn = editor.turn("more");
		const other = path.join(editor.conversation.tools.root, "other.txt");
		answer(editor, await asked(editor, 1), true);
		const second = await asked(editor, 2);
		expect(existsSync(other)).toBe(false);
		answer(editor, second, false);
		const third = await asked(editor, 3);
		expect(existsSync(other)).toBe(false);
		answer(editor, third, true);
		answer(editor, await asked(editor, 4), false);
		await turn;
		expect(existsSync(other)).toBe(false);
		expect(questions(editor)).toMatchObject([
			{ id: "c1", summary: "Edit a.txt" },
			{ id: "c1-question-2", summary: "Create other.txt" },
			{ id: "c1-question-3", summary: "Remove all" },
			{ id: "c1-question-4", summary: "Remove all" },
		]);
		expect(texts(editor).join(" ")).toMatch(/^yes error -32602: .* yes no$/s);
		const [remove] = editor.contents("toolCallRun").filter(({ id }) => id === third);
		expect(remove?.["details"]).toMatchObject({ type: "shellCommand", commands: [{ command: "rm -rf /" }] });
		const ends = [...editor.contents("toolCalled"), ...editor.contents("toolCallRejected")];
		expect(ends.map(({ id, type, reason }) => [id, type, reason].join(" ")).sort()).toEqual([
			"c1 toolCallRejected userChoiceDeny",
			"c1-question-2 toolCallRejected userChoiceDeny",
			"c1-question-3 toolCalled ",
			"c1-question-4 toolCallRejected userChoiceDeny",
		]);
	});

	test("covers only what was shown, even if it applies to the whole session", async () => {
		const editor = await withAgent();
		const turn = editor.turn("more");
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: await asked(editor, 1), save: "session" });
		for (const count of [2, 3, 4]) answer(editor, await asked(editor, count), false);
		await turn;
		expect(questions(editor).map(({ summary }) => summary)).toEqual([
			...["Edit a.txt", "Create other.txt", "Remove all", "Remove all"],
		]);
	});

	test("is requested once for several permissions that a call needs, and again for a repeated permission", async () => {
		const questions = new PendingApprovals();
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const call: ToolCall = {
			...{ id: "c1", tool: "edit_file", kind: "edit", title: "Edit", status: "pending" },
			...{ input: "{}", output: "", diffs: [], locations: [] },
		};
		narrator.itemsOf({ type: "call", number: 1, call });
		const { signal } = new AbortController();
		const shown: string[] = [];
		const ask = (subject: string, title = "Edit") => {
			const answer = questions.ask({ call: { ...call, title }, permission: { kind: "edit", subject } }, signal);
			questions.show(narrator, false, ({ content }) => {
				if (content.type === "toolCallRun") shown.push(`${content.id} ${content.summary}`);
			});
			return answer;
		};
		const first = ask("a");
		expect(questions.settle("c1", "session")).toBe(true);
		expect(await first).toBe("session");
		expect(await ask("b")).toBe("session");
		expect(shown).toEqual(["c1 Edit"]);
		const again = ask("b");
		expect(questions.settle("c1", "once")).toBe(false);
		expect(questions.settleOldest("no")).toBe(true);
		expect(await again).toBe("no");
		const another = ask("c", "Edit more");
		questions.settleAll("once", () => true);
		expect(await another).toBe("once");
		expect(shown).toEqual(["c1 Edit", "c1-question-2 Edit", "c1-question-3 Edit more"]);
	});
});

describe("an approval request", () => {
	test("waits for the answer to the previous one if the client answers with prompts", async () => {
		const questions = new PendingApprovals();
		const narrator = new ContentBuilder(
			() => 0,
			() => undefined,
		);
		const shown: string[] = [];
		const show = () => {
			questions.show(narrator, true, ({ content }) => {
				if (content.type === "toolCallRun") shown.push(content.id);
			});
		};
		const { signal } = new AbortController();
		const answers = ["c1", "c2"].map((id) => {
			const call: ToolCall = {
				...{ id, tool: "edit_file", kind: "edit", title: "Edit", status: "pending" },
				...{ input: "{}", output: "", diffs: [], locations: [] },
			};
			narrator.itemsOf({ type: "call", number: 1, call });
			return questions.ask({ call, permission: { kind: "edit", subject: id } }, signal);
		});
		show();
		show();
		expect(shown).toEqual(["c1"]);
		expect(questions.settleOldest("once")).toBe(true);
		show();
		expect(shown).toEqual(["c1", "c2"]);
		expect(questions.settleOldest("no")).toBe(true);
		expect(await Promise.all(answers)).toEqual(["once", "no"]);
	});

	test.each(["chat/toolCallApprove", "chat/prompt"])(
		"is shown as a separate call if its call is already running, and can be answered with %s",
		async (method) => {
			const editor = await withAgent();
			const turn = editor.turn("belatedly");
			const id = await asked(editor, 1);
			expect(id).toBe("c1-question-1");
			if (method === "chat/prompt") await editor.request(method, { chatId: "c", message: "yes" });
			else answer(editor, id, true);
			await turn;
			expect(texts(editor)).toEqual(["yes"]);
			expect(editor.contents("toolCalled").map((content) => content["id"])).toEqual([id, "c1"]);
		},
	);

	test.each<[string, object, string[]]>([
		["with a message to the user", ECA_CURRENT, ["system text Rejected, because the turn has ended: Look"]],
		["without a message in the first version", ECA_2025_06, []],
	])("is rejected if it is sent after the end of the turn, %s", async (_how, version, messages) => {
		let client: Client | undefined;
		const engine = ({ assist }: EcaEditor["conversation"]) => ({
			prompt: ((id, parts, its, options) => {
				client = its;
				return assist.prompt(id, parts, its, options);
			}) satisfies EcaEngine["prompt"],
		});
		const editor = await EcaEditor.ready({ engine }, version);
		await editor.turn("Hi");
		const from = editor.messages.length;
		const call: ToolCall = {
			...{ id: "c1", tool: "agent", kind: "execute", title: "Look", status: "pending" },
			...{ input: "{}", output: "", diffs: [], locations: [] },
		};
		const question = { call, permission: { kind: "command", subject: "ls" } } as const;
		expect(await client?.approve(question, new AbortController().signal)).toBe("no");
		await editor.request("providers/list");
		expect(editor.transcript.slice(from, -1)).toEqual(messages);
	});

	test("is rejected when the turn ends", async () => {
		const editor = await withAgent();
		await editor.turn("carelessly");
		await editor.until(() => texts(editor).length > 0);
		expect(texts(editor)).toEqual(["The answer: no"]);
		answer(editor, "c1", true);
		await editor.turn("say Hello");
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "chat/toolCallApprove" }]);
	});

	test.each(["chat/open", "chat/history"])("is shown again after %s and can be answered", async (method) => {
		const editor = await withAgent();
		const turn = editor.turn("more");
		answer(editor, await asked(editor, 1), true);
		const id = await asked(editor, 2);
		const from = editor.messages.length;
		const { result } = await editor.request(method, { chatId: "c" });
		const shown = method === "chat/history" ? result.contents : editor.messages.slice(from).map(({ params }) => params);
		const contents: Record<string, unknown>[] = shown.flatMap((each?: { content?: object }) => each?.content ?? []);
		const ofCalls = contents.filter((content) => /^toolCall/.test(String(content["type"])));
		expect(ofCalls.map((content) => [content["id"], content["type"], content["manualApproval"]].join(" "))).toEqual([
			"c1 toolCallPrepare ",
			"c1 toolCallRun false",
			`${id} toolCallPrepare `,
			`${id} toolCallRun true`,
		]);
		for (const each of [id, `c1-question-3`]) {
			await editor.until(() => questions(editor).some((question) => question.id === each));
			answer(editor, each, false);
		}
		await editor.until(() => questions(editor).some((question) => question.id === "c1-question-4"));
		answer(editor, "c1-question-4", false);
		await turn;
	});
});

describe("an agent that does not start", () => {
	test("can be stopped and does not block shutdown", async () => {
		const editor = await withAgent(["--silent"]);
		const turn = editor.turn("say Hello");
		await editor.until(() => editor.transcript.includes("system progress running Waiting model"));
		expect(editor.transcript).toContain("user text say Hello");
		editor.notify("chat/promptStop", { chatId: "c" });
		expect(await turn).toContain("status stopping");
		// The agent's choices are unknown, and shutdown does not wait for them.
		editor.notify("chat/selectedModelChanged", { chatId: "c", model: "large" });
		expect((await editor.request("shutdown")).result).toBeNull();
	});

	test("does not block shutdown during a turn", async () => {
		const editor = await withAgent(["--silent"]);
		await editor.request("chat/prompt", { chatId: "c", message: "/say Hello" });
		expect((await editor.request("shutdown")).result).toBeNull();
		expect(editor.transcript.at(-2)).toBe("status idle");
	});
});
