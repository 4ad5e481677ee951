import { calls, says } from "@segue/testing/chat/chat-fixture";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { WAIT } from "@segue/testing/setup/tier";
import { describe, expect, test, vi } from "vitest";
import type { EcaSession } from "./eca-session.js";
import { announceJobs } from "./jobs.js";

const SERVES = "echo ready; exec sleep 1000";
const RUN = calls(["run_command", { command: SERVES, background: true }]);

type Listed = { jobs: Record<string, unknown>[] };

/** Starts an editor with a background command in the chat `c`. */
async function serving(): Promise<EcaEditor> {
	const rules = [{ kind: "command", pattern: "*", answer: "allow" } as const];
	const editor = await EcaEditor.ready({ answers: [RUN, says("It runs.")], rules });
	await editor.turn("Serve it");
	return editor;
}

const updates = (editor: EcaEditor) => {
	return editor.messages.filter(({ method }) => method === "jobs/updated").map(({ params }) => params as Listed);
};

describe.skipIf(process.platform !== "linux")("a background job", () => {
	test("is announced and listed with its chat, and marked in its tool call", async () => {
		const editor = await serving();
		await editor.until(() => updates(editor).length > 0);
		const { result } = await editor.request("jobs/list", null);
		const job = { id: "job-1", type: "shell", status: "running", label: SERVES, summary: null, exitCode: null };
		expect(result.jobs).toMatchObject([{ ...job, chatId: "c", chatLabel: "Serve it" }]);
		expect(result.jobs[0]).toMatchObject({
			elapsed: expect.stringMatching(/^\d+[hms]/),
			startedAt: expect.any(String),
		});
		expect(updates(editor)[0]?.jobs).toMatchObject([job]);
		expect(editor.contents("toolCallRun")[0]?.["details"]).toMatchObject({ type: "shellCommand", background: true });
	});

	test("can be read and killed, with keys spelled as in eca-emacs", async () => {
		const editor = await serving();
		const read = async () => (await editor.request("jobs/readOutput", { "job-id": "job-1" })).result;
		await vi.waitUntil(async () => (await read()).lines.length > 0, WAIT);
		const kill = async () => (await editor.request("jobs/kill", { "job-id": "job-1" })).result;
		expect(await kill()).toEqual({ killed: true });
		await editor.until(() => updates(editor).some(({ jobs }) => jobs[0]?.["status"] === "killed"));
		expect(await kill()).toEqual({ killed: false });
		const lines = [{ text: "ready", stream: "stdout" }];
		expect(await read()).toEqual({ lines, status: "killed", exitCode: null });
	});

	test("cannot be read if it is unknown", async () => {
		const editor = await EcaEditor.ready();
		expect((await editor.request("jobs/readOutput", { jobId: "job-1" })).error?.message).toMatch(/Unknown job/);
	});

	test("is killed with its chat", async () => {
		const editor = await serving();
		await editor.request("chat/delete", { chatId: "c" });
		expect((await editor.request("jobs/list")).result).toEqual({ jobs: [] });
	});
});

test("jobs are announced in order, even if reading a title is slow", async () => {
	const titles: (() => void)[] = [];
	const statuses: unknown[] = [];
	let status = "running";
	let changed = () => {};
	const job = () => ({ id: "job-1", threadId: "t", command: "make", startedAt: new Date(0), status });
	const assist = {
		jobs: {
			list: () => [job()],
			watch: (listener: () => void) => {
				changed = listener;
				return () => {};
			},
		},
		// The test decides when the first title is read.
		thread: () => (titles.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => titles.push(resolve))),
	};
	const session = {
		engine: async () => ({ assist }),
		chats: { known: () => [] },
		connection: { notify: (_method: unknown, { jobs }: Listed) => statuses.push(jobs[0]?.["status"]) },
	};
	await announceJobs(session as never as EcaSession, () => 0, new AbortController().signal);
	changed();
	await vi.waitUntil(() => titles.length > 0, WAIT);
	status = "completed";
	changed();
	await new Promise((resolve) => setImmediate(resolve));
	titles[0]?.();
	await vi.waitUntil(() => statuses.length === 2, WAIT);
	expect(statuses).toEqual(["running", "completed"]);
});
