import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import type { EcaMessage } from "@segue/testing/editors/eca-client";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { HOLD, type ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { expect, test } from "vitest";

// Checks the message order that editors rely on, with random actions by the editor, the model and the user. To run many
// reproducible schedules: FUZZ_RUNS=10000 FUZZ_SEED=1 npx vitest run packages/server/src/eca/chat/order.test.ts

const ACTIONS = [
	...["prompt", "prompt", "prompt", "yes", "no", "stop", "approve", "reject", "steer"],
	...["go on", "go on", "settle", "rest", "rest"],
] as const;

const steps = fc.array(fc.record({ does: fc.constantFrom(...ACTIONS), chat: fc.constantFrom("a", "b") }), {
	maxLength: 18,
});

const answers: fc.Arbitrary<ScriptedAnswer[]> = fc.array(
	fc.array(
		fc.constantFrom(
			HOLD,
			{ type: "text", text: "a" } as const,
			{ type: "thought", text: "t", signature: undefined } as const,
			{ type: "call", id: "c", tool: "read_file", input: '{"path":"a.txt"}' } as const,
			{ type: "call", id: "d", tool: "delete_file", input: '{"path":"a.txt"}' } as const,
		),
		{ maxLength: 5 },
	),
	{ maxLength: 5 },
);

/** More answers than all schedules together need. */
const ANSWERS_MAX = 1_000_000;

test("every turn sends its content in order, between its response and its end, in random schedules", async () => {
	let script: ScriptedAnswer[] = [];
	const next = () => script.shift() ?? [];
	const conversation = await ChatFixture.begin({ files: { "a.txt": "a\n" }, answers: Array(ANSWERS_MAX).fill(next) });
	let walks = 0;
	await fc.assert(
		fc.asyncProperty(steps, answers, async (walk, scripted) => {
			walks++;
			script = [...scripted];
			const editor = EcaEditor.on(conversation);
			await editor.initialize({ capabilities: { codeAssistant: { chat: true } } });
			for (const { does, chat } of walk) await take(editor, does, `${chat}${walks}`);
			await settled();
			for (const chat of ["a", "b"]) editor.notify("chat/promptStop", { chatId: `${chat}${walks}` });
			await editor.request("shutdown");
			const broken = ["a", "b"].flatMap((chat) => new Watcher(`${chat}${walks}`).watch(editor.messages));
			expect(broken).toEqual([]);
			expect(editor.problems.filter(({ kind }) => kind !== "bad-notification")).toEqual([]);
			editor.end();
			await editor.closed;
		}),
	);
});

async function take(editor: EcaEditor, does: (typeof ACTIONS)[number], chatId: string): Promise<void> {
	const waiting = editor.contents("toolCallRun").findLast((content) => content["manualApproval"] === true);
	const toolCallId = waiting?.["id"] ?? "none";
	if (does === "settle") await settled();
	else if (does === "rest") await rested(editor);
	else if (does === "go on") void editor.conversation.model.release();
	else if (does === "stop") editor.notify("chat/promptStop", { chatId });
	else if (does === "steer") editor.notify("chat/promptSteer", { chatId, message: "More" });
	else if (does === "approve") editor.notify("chat/toolCallApprove", { chatId, toolCallId });
	else if (does === "reject") editor.notify("chat/toolCallReject", { chatId, toolCallId });
	else editor.request("chat/prompt", { chatId, message: does === "prompt" ? "Go" : does }).catch(() => {});
}

/**
 * Waits until nothing more can happen without input: each chat is idle or waiting for approval, or the model is
 * blocked.
 */
async function rested(editor: EcaEditor): Promise<void> {
	const resting = editor.until((messages) => {
		const counts = new Map<unknown, number>();
		const count = (chatId: unknown, by: number) => counts.set(chatId, (counts.get(chatId) ?? 0) + by);
		for (const { method, params, result } of messages) {
			const content = params?.["content"] as Content | undefined;
			if (method === undefined) count(result?.chatId, result?.chatId === undefined ? 0 : 1);
			else if (params?.["isComplete"] === true) count(params["chatId"], -1);
			else if (params?.["role"] === "user" && content?.contentId === undefined) count(params?.["chatId"], -1);
			else if (content?.manualApproval === true) counts.set(params?.["chatId"], Number.NEGATIVE_INFINITY);
		}
		return [...counts.values()].every((open) => open <= 0);
	});
	await Promise.race([resting.catch(() => {}), editor.conversation.model.holding()]);
}

/** Checks the messages in one chat and collects violated rules. */
class Watcher {
	private readonly broken: string[] = [];
	private answered = 0;
	private ended = 0;
	private isRunning = false;
	/** Whether the turn was reported as complete. */
	private isComplete = true;
	private thought: unknown;
	private readonly calls = new Map<unknown, number>();

	constructor(private readonly chatId: string) {}

	watch(messages: readonly EcaMessage[]): string[] {
		for (const message of messages) this.hear(message);
		if (this.isRunning || !this.isComplete) this.broken.push("a turn has no end");
		for (const [id, stage] of this.calls) if (stage !== STAGES.length) this.broken.push(`the call ${id} has no end`);
		return this.broken;
	}

	private hear({ method, params, result }: EcaMessage): void {
		if (result?.chatId === this.chatId) this.answered++;
		if (params?.["chatId"] !== this.chatId) return;
		if (method === "chat/statusChanged") this.status(params["status"]);
		else if (method === "chat/contentReceived") {
			this.content(params["role"], params["content"] as Content, params["isComplete"] === true);
		}
	}

	private status(status: unknown): void {
		if (status === "running") {
			this.rule(!this.isRunning, "running twice");
			this.isRunning = true;
		} else if (status === "idle") {
			this.rule(this.isRunning && this.isComplete, "idle before the turn was complete");
			this.isRunning = false;
		} else this.rule(this.isRunning, "stopping without a running turn");
	}

	private content(role: unknown, content: Content, isComplete: boolean): void {
		const { type, id } = content;
		if (role === "user" && content.contentId !== undefined && this.isComplete) this.isComplete = false;
		// An approval or rejection can be shown at any time.
		if (role === "user") return;
		this.rule(!this.isComplete, `${type} outside a turn`);
		this.rule(this.isRunning || type === "metadata", `${type} before the turn runs`);
		if (type.startsWith("reason")) {
			if (type === "reasonStarted") this.rule(this.thought === undefined, "a thought in a thought");
			else this.rule(this.thought === id, "a thought that did not start");
			this.thought = type === "reasonFinished" ? undefined : id;
		} else this.rule(this.thought === undefined, `${type} in a thought`);
		if (type.startsWith("toolCall")) this.call(type, id);
		if (!isComplete) return;
		this.rule(type === "progress", "complete without an end");
		this.isComplete = true;
		this.ended++;
		this.rule(this.ended <= this.answered, "an end before its answer");
	}

	private call(type: string, id: unknown): void {
		const stage = STAGES.findIndex((each) => each.includes(type)) + 1;
		const before = this.calls.get(id) ?? 0;
		const isNext = stage === before + 1 || (stage === 1 && before === 1) || (stage === STAGES.length && before === 2);
		this.rule(isNext, `${type} of ${id} after stage ${before}`);
		this.calls.set(id, stage);
	}

	private rule(holds: boolean, what: string): void {
		if (!holds) this.broken.push(what);
	}
}

interface Content {
	readonly type: string;
	readonly id?: unknown;
	readonly contentId?: string;
	readonly manualApproval?: boolean;
}

const STAGES = [["toolCallPrepare"], ["toolCallRun"], ["toolCallRunning"], ["toolCalled", "toolCallRejected"]];
