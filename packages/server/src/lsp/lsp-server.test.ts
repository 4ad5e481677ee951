import type { ModelChoice } from "@segue/agent/next-edit/models";
import type { OfferOutcome, RequestObservation } from "@segue/agent/next-edit/observer";
import { predict as engine, type Prediction } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import { memoryPair, RpcError } from "@segue/rpc";
import { never } from "@segue/testing/chat/chat-fixture";
import { ALL_CLIENT_CAPABILITIES, LspEditor, PROJECT_A, PROJECT_B } from "@segue/testing/editors/lsp-editor";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LspOptions, serveLsp } from "./lsp-server.js";

const RENAMED = "const cnt = 0\nlog(cnt)\nif (cnt > 1) log(cnt)\n";

interface Options extends Partial<LspOptions> {
	readonly params?: Record<string, unknown>;
	readonly settings?: unknown;
}

/** Returns a client with one file, in which the user has started to rename `cnt`. */
async function renaming(options: Options = {}): Promise<LspEditor & { readonly outcomes: string[] }> {
	const editor = await started(options);
	editor.open(PROJECT_A, RENAMED);
	editor.replace(PROJECT_A, "cnt", "count");
	return editor;
}

async function started({ params, settings, ...options }: Options = {}) {
	const outcomes: string[] = [];
	const observation: RequestObservation = {
		watch: () => {},
		recordResponse: () => {},
		recordOutcome: (_suggestion, outcome) => void outcomes.push(nameOf(outcome)),
	};
	const editor = await LspEditor.start(
		(channel, client) => serve(channel, client, { observer: { begin: () => observation }, ...options }),
		{
			...(params && { params }),
			settings,
		},
	);
	onTestFinished(() => editor.connection.close());
	return Object.assign(editor, { outcomes });
}

function serve(channel: Parameters<typeof serveLsp>[0], editor: LspEditor, options: Partial<LspOptions> = {}) {
	const { now, after } = editor.clock;
	return serveLsp(channel, {
		version: "1.2.3",
		now,
		after,
		report: (problem) => editor.problems.push(problem),
		...options,
	});
}

function nameOf(outcome: OfferOutcome): string {
	if (outcome.kind === "rejected") return String(outcome.reason);
	return ["accepted", ...(outcome.isPartial ? ["partly"] : []), ...(outcome.isTyped ? ["by typing"] : [])].join(" ");
}

async function codeOf(request: Promise<unknown>): Promise<unknown> {
	return request.then(
		() => "answered",
		(error: unknown) => (error instanceof RpcError ? error.code : error),
	);
}

describe("lifecycle", () => {
	test("rejects requests before initialize with -32002 and accepts exit", async () => {
		const editor = LspEditor.silent(serve);
		expect(await codeOf(editor.connection.request(lsp.checkStatus, {}))).toBe(-32002);
		editor.connection.notify(lsp.didOpen, { textDocument: { uri: PROJECT_A, languageId: "c", version: 1, text: "" } });
		await settled();
		expect(editor.problems).toMatchObject([
			{ kind: "bad-notification", text: "sent before initialize or after shutdown" },
		]);
		editor.connection.notify(lsp.exit, null);
		expect((await editor.connection.closed).by).toBe("other");
	});

	test("rejects a second initialize, and all messages except exit after shutdown", async () => {
		const editor = await started();
		expect(await codeOf(editor.connection.request(lsp.initialize, { capabilities: {} }))).toBe(-32600);
		expect(await editor.connection.request(lsp.shutdown, null)).toBeNull();
		expect(await codeOf(editor.connection.request(lsp.checkStatus, {}))).toBe(-32600);
		editor.connection.notify(lsp.exit, null);
		await editor.connection.closed;
	});

	test("records whether the client sent shutdown", async () => {
		for (const sendsShutdown of [true, false]) {
			const [ours, theirs] = memoryPair();
			const server = serveLsp(theirs, { version: "1", report: () => {} });
			const send = (message: object) => ours.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
			ours.open({ message: () => {}, unreadable: () => {}, closed: () => {} }, 1000);
			send({ id: 1, method: "initialize", params: { capabilities: {} } });
			if (sendsShutdown) send({ id: 2, method: "shutdown" });
			send({ method: "exit" });
			await server.connection.closed;
			expect(server.wasShutDown).toBe(sendsShutdown);
		}
	});

	test("ignores unknown notifications and rejects unknown requests", async () => {
		const editor = await started();
		const params = lsp.checkStatus.params;
		editor.connection.notify({ kind: "notification", method: "$/whatever", from: "client", params }, {});
		editor.connection.notify({ kind: "notification", method: "workspace/whatever", from: "client", params }, {});
		const unknown = { kind: "request", method: "textDocument/hover", from: "client", params, result: params } as const;
		expect(await codeOf(editor.connection.request(unknown, {}))).toBe(-32601);
		expect(editor.problems).toEqual([]);
	});

	test.each([
		[["utf-8", "utf-16"], "utf-16"],
		[["utf-8", "utf-32"], "utf-8"],
		[["utf-32"], "utf-32"],
		[[], "utf-16"],
		[undefined, "utf-16"],
	])("chooses a position encoding from %j: %s", async (positionEncodings, chosen) => {
		const editor = LspEditor.silent(serve);
		const general = { general: { positionEncodings } };
		const { capabilities } = await editor.connection.request(lsp.initialize, { capabilities: general } as never);
		expect(capabilities["positionEncoding"]).toBe(chosen);
		editor.connection.close();
	});

	test("uses the configured server name", async () => {
		const editor = LspEditor.silent((channel, client) => serve(channel, client, { name: "copilot-segue" }));
		const { serverInfo } = await editor.connection.request(lsp.initialize, { capabilities: {} });
		expect(serverInfo).toEqual({ name: "copilot-segue", version: "1.2.3" });
		editor.connection.close();
	});

	test("closes the connection when the parent process exits", async () => {
		let isAlive = true;
		const kill = () => {
			if (!isAlive) throw Object.assign(new Error(), { code: "ESRCH" });
		};
		const editor = await started({ kill, params: { processId: 42 } });
		isAlive = false;
		editor.clock.advance(10_000);
		await editor.connection.closed;
	});
});

describe("inline completions", () => {
	test("offer an edit on the cursor's line", async () => {
		const editor = await renaming();
		expect(await editor.complete(PROJECT_A, "log(▮cnt)")).toEqual({
			items: [
				{
					insertText: "count",
					range: { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } },
					command: { title: "Accept next edit", command: "segue.accept", arguments: [expect.any(String)] },
				},
			],
		});
	});

	test("offer the edit for any cursor position on its line", async () => {
		const editor = await renaming();
		for (const at of ["log(cnt▮)", "log(cnt)▮\n", "▮log(cnt)"]) {
			const { items } = await editor.complete(PROJECT_A, at);
			expect(items[0]?.insertText).toContain("count");
		}
	});

	test("offer nothing if the next edit is on another line", async () => {
		const editor = await renaming();
		expect(await editor.complete(PROJECT_A, "▮const")).toEqual({ items: [] });
	});

	test("start with the selected entry in the completion menu", async () => {
		const editor = await renaming();
		const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } };
		const selected = (text: string) => ({ triggerKind: 2, selectedCompletionInfo: { range, text } });
		expect((await editor.complete(PROJECT_A, "log(▮cnt)", selected("cou"))).items).toHaveLength(1);
		expect((await editor.complete(PROJECT_A, "log(▮cnt)", selected("con"))).items).toHaveLength(0);
	});

	test("use \\n as the line break", async () => {
		const edits = [{ from: 1, to: 1, insert: "x\r\ny" }];
		const suggestion = {
			kind: "edit",
			uri: PROJECT_A,
			edits,
			cursor: 2,
			key: "k",
			rules: [],
			why: "",
			confidence: 1,
			predictor: "repeat",
		} as const;
		const editor = await started({ predict: (): Prediction => ({ suggestions: [suggestion] }) });
		editor.open(PROJECT_A, "a\r\nb\r\n");
		const { items } = await editor.complete(PROJECT_A, "a▮");
		expect(items[0]?.insertText).toBe("x\ny");
	});
});

describe("next edits for Copilot clients", () => {
	test("consist of one edit to the requested document, with its version", async () => {
		const editor = await renaming();
		const { edits } = await editor.nextEdits(PROJECT_A, "const count▮");
		expect(edits).toEqual([
			{
				text: "count",
				range: { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } },
				textDocument: { uri: PROJECT_A, version: 2 },
				command: { title: "Accept next edit", command: "segue.accept", arguments: [expect.any(String)] },
			},
		]);
	});

	test("combine several edits on one line", async () => {
		const editor = await renaming();
		editor.edit(PROJECT_A, [
			{ from: editor.text(PROJECT_A).indexOf("cnt"), to: editor.text(PROJECT_A).indexOf("cnt") + 3, insert: "count" },
		]);
		const { edits } = await editor.nextEdits(PROJECT_A, "log(count▮)");
		expect(edits.map(({ text }) => text)).toEqual(["count > 1) log(count"]);
	});

	test("omit other documents, because these clients would change the wrong buffer", async () => {
		const editor = await started();
		editor.open(PROJECT_B, 'import { pick } from "./a"\npick(1)\n');
		editor.open(PROJECT_A, "export function pick() {}\n");
		editor.replace(PROJECT_A, "pick", "choose");
		expect(await editor.nextEdits(PROJECT_A, "choose▮")).toEqual({ edits: [] });
		const [action] = await editor.actions(PROJECT_A, "choose▮");
		expect(action?.title).toBe("Next edit: rename `pick` to `choose` in b.ts on line 1 (1 more)");
	});

	test("are empty for a stale version", async () => {
		const editor = await renaming();
		expect(await editor.nextEdits(PROJECT_A, "const count▮", 7)).toEqual({ edits: [] });
		expect(editor.logged.at(-1)).toMatch(/\(stale\)$/);
	});

	test("report that the user is signed in", async () => {
		const editor = await started();
		const { connection } = editor;
		expect(await connection.request(lsp.checkStatus, {})).toEqual({ status: "OK", user: "segue" });
		expect(await connection.request(lsp.signInInitiate, {})).toEqual({ status: "AlreadySignedIn", user: "segue" });
		expect(await connection.request(lsp.signIn, null)).toEqual({ status: "AlreadySignedIn", user: "segue" });
		expect(await connection.request(lsp.signInConfirm, { userCode: "" })).toEqual({ status: "OK", user: "segue" });
		expect(await connection.request(lsp.setEditorInfo, {})).toBe("OK");
		expect(await connection.request(lsp.getVersion, {})).toMatchObject({ version: "1.2.3" });
	});

	test("report the reason for no suggestion in the log, and once in the status line of Copilot clients", async () => {
		const editor = await started();
		editor.open(PROJECT_A, RENAMED);
		await editor.complete(PROJECT_A, "log(▮cnt)");
		expect(editor.statuses).toEqual([]);
		expect(editor.logged).toEqual([expect.stringMatching(/^No next edit: .* \(no-history\)$/)]);
		await editor.nextEdits(PROJECT_A, "▮const");
		await editor.nextEdits(PROJECT_A, "▮const");
		expect(editor.statuses).toEqual([
			{ busy: false, kind: "Normal", message: expect.stringMatching(/^No next edit: /) },
		]);
		editor.replace(PROJECT_A, "cnt", "count");
		await editor.nextEdits(PROJECT_A, "const count▮");
		expect(editor.statuses.at(-1)).toEqual({ busy: false, kind: "Normal", message: "" });
	});

	test("report the next edit's location if it is elsewhere", async () => {
		const editor = await renaming({ params: { initializationOptions: { editorInfo: {} } } });
		await editor.complete(PROJECT_A, "▮const");
		const message = "The next edit is on line 2. Use a code action to apply it from here.";
		expect(editor.logged).toEqual([message]);
		expect(editor.statuses).toEqual([{ busy: false, kind: "Normal", message }]);
	});

	test("warn once about a model that keeps failing", async () => {
		const failing = async (): Promise<Prediction> => ({ silence: "model-failed", detail: "No answer" });
		const editor = await started({ predict: failing, params: { initializationOptions: { editorInfo: {} } } });
		editor.open(PROJECT_A, RENAMED);
		for (let i = 0; i < 3; i++) await editor.nextEdits(PROJECT_A, "▮const");
		expect(editor.statuses.filter(({ kind }) => kind === "Warning")).toHaveLength(1);
	});
});

describe("code actions", () => {
	test("apply the edit, apply the whole rename, go to the edit and dismiss it", async () => {
		const editor = await renaming();
		const actions = await editor.actions(PROJECT_A, "const count▮");
		expect(actions.map(({ title }) => title)).toEqual([
			"Next edit: rename `cnt` to `count` on line 2 (2 more)",
			"Rename `cnt` to `count` in all 3 places",
			"Go to next edit",
			"Dismiss next edit",
		]);
		const [next, all, go, dismiss] = actions;
		expect(next?.edit?.documentChanges).toEqual([
			{
				textDocument: { uri: PROJECT_A, version: 2 },
				edits: [{ range: { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } }, newText: "count" }],
			},
		]);
		expect(all?.edit?.documentChanges?.[0]?.edits).toHaveLength(3);
		const [label = ""] = Object.keys(all?.edit?.changeAnnotations ?? {});
		expect(all?.edit?.documentChanges?.[0]?.edits.map(({ annotationId }) => annotationId)).toEqual([
			label,
			label,
			label,
		]);
		await editor.execute(go?.command?.command, go?.command?.arguments?.[0]);
		expect(editor.shown).toEqual([`${PROJECT_A} 1:4`]);
		await editor.execute(dismiss?.command?.command, dismiss?.command?.arguments?.[0]);
		expect(editor.outcomes).toEqual(["rejected"]);
		const [other] = await editor.actions(PROJECT_A, "const count▮", { triggerKind: 2 });
		expect(other?.title).toBe("Next edit: rename `cnt` to `count` on line 3");
	});

	test("rename in all files, with one document edit per file", async () => {
		const editor = await started();
		editor.open(PROJECT_B, 'import { pick } from "./a"\npick(1)\n');
		editor.open(PROJECT_A, "export function pick() {}\npick()\n");
		editor.replace(PROJECT_A, "pick", "choose");
		const all = (await editor.actions(PROJECT_A, "choose▮")).find(({ title }) => title.includes("all"));
		expect(all?.title).toBe("Rename `pick` to `choose` in all 3 places across 2 files");
		const changed = all?.edit?.documentChanges?.map(({ textDocument: { uri }, edits }) => `${uri} ${edits.length}`);
		expect(changed).toEqual([`${PROJECT_A} 1`, `${PROJECT_B} 2`]);
	});

	test("wait for the change made by an accepted edit, which eglot reports after the command if it is in another file", async () => {
		const editor = await started();
		editor.open(PROJECT_B, 'import { pick } from "./a"\npick(1)\n');
		editor.open(PROJECT_A, "export function pick() {}\n");
		editor.replace(PROJECT_A, "pick", "choose");
		const [first] = await editor.actions(PROJECT_A, "choose▮");
		await editor.execute(first?.command?.command, first?.command?.arguments?.[0]);
		expect(await editor.actions(PROJECT_A, "choose▮")).toEqual([]);
		editor.replace(PROJECT_B, "pick", "choose");
		const [next] = await editor.actions(PROJECT_A, "choose▮");
		expect(next?.edit?.documentChanges?.[0]).toMatchObject({ textDocument: { uri: PROJECT_B, version: 2 } });
	});

	test("wait for the changes that an accepted rename makes in every file", async () => {
		const editor = await started();
		editor.open(PROJECT_B, 'import { pick } from "./a"\npick(1)\n');
		editor.open(PROJECT_A, "export function pick() {}\npick()\n");
		editor.replace(PROJECT_A, "pick", "choose");
		const all = (await editor.actions(PROJECT_A, "choose▮")).find(({ title }) => title.includes("all"));
		const { command = "", arguments: args } = all?.command ?? {};
		await editor.connection.request(lsp.executeCommand, { command, arguments: args });
		editor.replace(PROJECT_A, "pick", "choose");
		expect(await editor.actions(PROJECT_A, "choose▮")).toEqual([]);
	});

	test("have the kinds that the client requests", async () => {
		const editor = await renaming();
		const kindsOf = async (only: string[]) =>
			new Set((await editor.actions(PROJECT_A, "count▮", { only })).map(({ kind }) => kind));
		expect(await kindsOf(["quickfix"])).toEqual(new Set(["quickfix"]));
		expect(await kindsOf(["refactor"])).toEqual(new Set(["refactor.rewrite"]));
		expect(await kindsOf(["source.organizeImports"])).toEqual(new Set());
		expect(await kindsOf([""])).toEqual(new Set(["quickfix"]));
	});

	test("are commands for a client without the optional capabilities", async () => {
		const editor = await renaming({ params: { capabilities: { workspace: { applyEdit: true } } } });
		const actions = await editor.actions(PROJECT_A, "count▮");
		expect(actions).toEqual([
			{
				title: "Next edit: rename `cnt` to `count` on line 2 (2 more)",
				command: "segue.apply",
				arguments: [expect.any(String)],
			},
			{ title: "Dismiss next edit", command: "segue.reject", arguments: [expect.any(String)] },
		]);
		const { command, arguments: args } = actions[0] as unknown as { command: string; arguments: string[] };
		await editor.execute(command, args[0]);
		expect(editor.applied).toEqual(["Next edit"]);
		expect(editor.outcomes).toEqual(["accepted"]);
	});

	test("use the request's diagnostics, except Segue's own", async () => {
		const editor = await unknownName();
		const diagnostics = [{ ...UNKNOWN_NAME, source: "ts" }];
		const [action] = await editor.actions(PROJECT_A, "formatDate▮", { diagnostics });
		expect(action?.title).toMatch(/^Next edit: `formatDate` is not defined here/);
		const own = [{ ...UNKNOWN_NAME, source: "segue" }];
		expect(await editor.actions(PROJECT_A, "formatDate▮", { diagnostics: own })).toEqual([]);
	});
});

const UNKNOWN_NAME = {
	range: { start: { line: 2, character: 12 }, end: { line: 2, character: 22 } },
	severity: 1,
	message: "Cannot find name 'formatDate'.",
};

/** Returns a client whose user wrote a name that another open file exports. */
async function unknownName() {
	const editor = await started();
	editor.open(PROJECT_B, "export function formatDate(day: Date) {}\n");
	editor.open(PROJECT_A, "import { title } from './title.js';\n\nshow(title, );\n");
	editor.replace(PROJECT_A, ", ", ", formatDate(today)");
	return editor;
}

describe("outcomes", () => {
	test("are reported by a suggestion's command", async () => {
		const editor = await renaming();
		const [edit] = (await editor.nextEdits(PROJECT_A, "count▮")).edits;
		await editor.execute(edit?.command.command, edit?.command.arguments?.[0]);
		await editor.execute(edit?.command.command, edit?.command.arguments?.[0]);
		expect(editor.outcomes).toEqual(["accepted"]);
	});

	test("are reported by a notification from copilot.el", async () => {
		const editor = await renaming();
		const [edit] = (await editor.nextEdits(PROJECT_A, "count▮")).edits;
		const { params } = lsp.executeCommand;
		const message = { kind: "notification", method: "workspace/executeCommand", from: "client", params } as const;
		editor.connection.notify(message, { command: "segue.accept", arguments: [edit?.command.arguments?.[0]] });
		await settled();
		expect(editor.outcomes).toEqual(["accepted"]);
	});

	test("are “accepted” when one or two changes result in the suggested text", async () => {
		for (const isWhole of [true, false]) {
			const editor = await renaming();
			await editor.nextEdits(PROJECT_A, "count▮");
			const from = editor.text(PROJECT_A).indexOf("cnt");
			if (isWhole) editor.edit(PROJECT_A, [{ from, to: from + 3, insert: "count" }]);
			else {
				editor.edit(PROJECT_A, [{ from, to: from + 3, insert: "" }]);
				editor.edit(PROJECT_A, [{ from, to: from, insert: "count" }]);
			}
			await settled();
			expect(editor.outcomes).toEqual(["accepted"]);
		}
	});

	test("are accepted by typing if the user types the text letter by letter", async () => {
		const editor = await renaming();
		await editor.nextEdits(PROJECT_A, "count▮");
		const from = editor.text(PROJECT_A).indexOf("cnt");
		editor.edit(PROJECT_A, [{ from, to: from + 3, insert: "" }]);
		editor.edit(PROJECT_A, [{ from, to: from, insert: "co" }]);
		editor.edit(PROJECT_A, [{ from: from + 2, to: from + 2, insert: "unt" }]);
		await settled();
		expect(editor.outcomes).toEqual(["accepted by typing"]);
	});

	test("are “ignored” if the user changes something else after some time, and “replaced” if the change comes sooner", async () => {
		for (const [ms, outcome] of [
			[3000, "ignored"],
			[300, "replaced"],
		] as const) {
			const editor = await renaming();
			await editor.complete(PROJECT_A, "log(▮cnt)");
			editor.editMs = ms;
			editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "// new\n" }]);
			await editor.complete(PROJECT_A, "▮// new");
			expect(editor.outcomes).toEqual([outcome]);
		}
	});

	test("are “ignored” if the user writes something else in the same place", async () => {
		const editor = await renaming();
		await editor.complete(PROJECT_A, "log(▮cnt)");
		editor.replace(PROJECT_A, "log(cnt)", "log(total)");
		await editor.complete(PROJECT_A, "▮const");
		expect(editor.outcomes).toEqual(["ignored"]);
	});

	test("are not “ignored” while the user types a name letter by letter", async () => {
		const editor = await started();
		editor.open(PROJECT_A, RENAMED);
		editor.editMs = 200;
		const from = "const ".length;
		for (const name of ["cn", "c", "co", "cou", "coun", "count"]) {
			const to = editor.text(PROJECT_A).indexOf(" =");
			editor.edit(PROJECT_A, [{ from, to, insert: name }]);
			await editor.nextEdits(PROJECT_A, `const ${name}▮`);
		}
		expect(editor.outcomes).not.toContain("ignored");
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
	});

	test("are “replaced” if the client reports the suggestions that it shows and this one is not among them", async () => {
		const editor = await renaming();
		editor.connection.notify(lsp.didShowInlineEdit, { item: { command: { arguments: ["another"] } } });
		await editor.nextEdits(PROJECT_A, "count▮");
		editor.replace(PROJECT_A, "log(cnt)", "log(total)");
		await editor.nextEdits(PROJECT_A, "log(total)▮");
		expect(editor.outcomes).toEqual(["replaced"]);
	});

	test("are “partial” if the client reports a partial acceptance and the rest is not accepted", async () => {
		for (const acceptsRest of [true, false]) {
			const editor = await renaming();
			const [item] = (await editor.complete(PROJECT_A, "log(▮cnt)")).items;
			editor.connection.notify(lsp.didPartiallyAcceptCompletion, { item, acceptedLength: 2 } as never);
			if (acceptsRest) await editor.execute("segue.accept", item?.command?.arguments?.[0]);
			editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "// new\n" }]);
			await editor.complete(PROJECT_A, "▮// new");
			expect(editor.outcomes).toEqual([acceptsRest ? "accepted" : "accepted partly"]);
		}
	});

	test("are tracked separately for each request method", async () => {
		const editor = await renaming();
		const [edit] = (await editor.nextEdits(PROJECT_A, "count▮")).edits;
		expect(await editor.complete(PROJECT_A, "▮const")).toEqual({ items: [] });
		await editor.execute("segue.accept", edit?.command.arguments?.[0]);
		expect(editor.outcomes).toEqual(["accepted"]);
	});

	test("are accepted by typing if the client sends a request at every letter", async () => {
		const editor = await renaming();
		editor.editMs = 3000;
		await editor.nextEdits(PROJECT_A, "count▮");
		const from = editor.text(PROJECT_A).indexOf("cnt");
		editor.edit(PROJECT_A, [{ from, to: from + 3, insert: "" }]);
		for (const [index, letter] of [..."count"].entries()) {
			editor.edit(PROJECT_A, [{ from: from + index, to: from + index, insert: letter }]);
			await editor.nextEdits(PROJECT_A, "const▮");
		}
		expect(editor.outcomes[0]).toBe("accepted by typing");
		expect(editor.outcomes).not.toContain("ignored");
	});

	test("stay pending while the same suggestion is requested again", async () => {
		const editor = await renaming();
		const [first] = (await editor.complete(PROJECT_A, "log(▮cnt)")).items;
		await editor.complete(PROJECT_A, "▮log(cnt)");
		expect(editor.outcomes).toEqual([]);
		await editor.execute("segue.accept", first?.command?.arguments?.[0]);
		expect(editor.outcomes).toEqual(["accepted"]);
	});

	test("reject an unknown command and ignore an unknown suggestion", async () => {
		const editor = await renaming();
		expect(await codeOf(editor.execute("segue.nothing"))).toBe(-32602);
		for (const command of ["accept", "reject", "ignore", "apply", "goTo"]) {
			expect(await editor.execute(`segue.${command}`, "no such id")).toBeNull();
			expect(await editor.execute(`segue.${command}`, { no: "string" })).toBeNull();
		}
		expect([editor.outcomes, editor.shown, editor.applied]).toEqual([[], [], []]);
	});
});

describe("settings", () => {
	test("are read from initialize, from a configuration request and from a notification", async () => {
		const initialized = await renaming({
			params: { initializationOptions: { segue: { enabled: false } }, capabilities: {} },
		});
		expect(await initialized.nextEdits(PROJECT_A, "count▮")).toEqual({ edits: [] });
		expect(initialized.logged.at(-1)).toMatch(/\(disabled\)$/);
		const pulled = await renaming({ settings: { enabled: false }, params: { capabilities: ALL_CLIENT_CAPABILITIES } });
		await settled();
		expect(await pulled.nextEdits(PROJECT_A, "count▮")).toEqual({ edits: [] });
		pulled.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { enabled: true } } });
		expect((await pulled.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
	});

	test("are applied except for invalid settings, which are reported to the user", async () => {
		const editor = await renaming();
		const segue = { enabled: "maybe", eagernes: "high", mark: "red", model: "none/such", eagerness: "low" };
		editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue } });
		await settled();
		expect(editor.warned).toEqual([
			"segue.enabled must be true or false.",
			"segue.eagernes is not a setting; did you mean eagerness?",
			"segue.mark must be one of none, hint, diagnostic.",
			"segue.model is not a configured model. To list them: segue models",
		]);
	});

	test("disable suggestions in the same way as in other protocols", async () => {
		const editor = await renaming();
		const send = (segue: object) => editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue } });
		send({ onlyWhenAsked: true });
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toEqual([]);
		expect(editor.logged.at(-1)).toMatch(/\(only-when-asked\)$/);
		expect((await editor.complete(PROJECT_A, "log(▮cnt)", { triggerKind: 1 })).items).toHaveLength(1);
		send({ onlyWhenAsked: false, offInLanguages: ["typescript"] });
		expect((await editor.complete(PROJECT_A, "log(▮cnt)", { triggerKind: 1 })).items).toEqual([]);
		send({ offInLanguages: [] });
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toHaveLength(1);
	});

	test("do not restart a snooze when sent again, and let a command end it", async () => {
		const editor = await renaming();
		const send = () => {
			editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { snoozeMinutes: 5 } } });
		};
		send();
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toEqual([]);
		editor.clock.advance(4 * 60_000);
		send();
		await settled();
		editor.clock.advance(2 * 60_000);
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toHaveLength(1);
		await editor.execute("segue.snooze", 15);
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toEqual([]);
		await editor.execute("segue.snooze", 0);
		expect((await editor.complete(PROJECT_A, "log(▮cnt)")).items).toHaveLength(1);
		expect(await codeOf(editor.execute("segue.snooze", "long"))).toBe(-32602);
	});

	test("delay the first requests up to a timeout", async () => {
		const editor = await started({ settings: { enabled: false } });
		editor.editMs = 100;
		editor.open(PROJECT_A, RENAMED);
		editor.replace(PROJECT_A, "cnt", "count");
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toEqual([]);
		const silent = await started({ settings: never() });
		silent.editMs = 100;
		silent.open(PROJECT_A, RENAMED);
		silent.replace(PROJECT_A, "cnt", "count");
		const response = silent.nextEdits(PROJECT_A, "count▮");
		await settled();
		silent.clock.advance(1000);
		expect((await response).edits).toHaveLength(1);
	});

	test("return to the configured value when the client removes them", async () => {
		const editor = await renaming();
		const send = (segue: object) => editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue } });
		for (const removed of [{}, { enabled: null }]) {
			send({ enabled: false });
			expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toEqual([]);
			send(removed);
			expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
		}
	});

	test("end a snooze that a command started if they contain an explicit 0", async () => {
		const editor = await renaming();
		const send = () =>
			editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { snoozeMinutes: 0 } } });
		send();
		await editor.execute("segue.snooze", 60);
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toEqual([]);
		send();
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
	});

	test("apply to the file that a suggestion edits, even if the cursor is in another file", async () => {
		const editor = await started();
		editor.open(PROJECT_B, 'import { pick } from "./a"\npick(1)\n');
		editor.open(PROJECT_A, "export function pick() {}\n");
		editor.replace(PROJECT_A, "pick", "choose");
		editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { offInFiles: ["b.ts"] } } });
		expect(await editor.actions(PROJECT_A, "choose▮")).toEqual([]);
		expect(editor.logged.at(-1)).toMatch(/\(off-in-file\)$/);
	});

	test("do not resume suggestions after giving up if a request might be automatic", async () => {
		const editor = await renaming();
		editor.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { giveUpAfterIgnored: 1 } } });
		const [edit] = (await editor.nextEdits(PROJECT_A, "count▮")).edits;
		await editor.execute("segue.ignore", edit?.command.arguments?.[0]);
		await editor.actions(PROJECT_A, "count▮");
		await editor.nextEdits(PROJECT_A, "count▮");
		expect(editor.logged.at(-1)).toMatch(/\(gave-up\)$/);
		await editor.actions(PROJECT_A, "count▮", { triggerKind: 1 });
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
	});

	test("ignore other servers' sections", async () => {
		const editor = await renaming({ params: { capabilities: {} } });
		editor.connection.notify(lsp.didChangeConfiguration, { settings: { github: { copilot: {} } } });
		editor.connection.notify(lsp.didChangeConfiguration, {});
		expect((await editor.nextEdits(PROJECT_A, "count▮")).edits).toHaveLength(1);
		expect(editor.warned).toEqual([]);
	});
});

describe("marks", () => {
	test("are off by default", async () => {
		const editor = await renaming();
		editor.clock.advance(10_000);
		await settled();
		expect([editor.marked, editor.refreshes]).toEqual([[], 0]);
	});

	test("are a diagnostic at the next edit until the text changes", async () => {
		const editor = await marking("diagnostic");
		expect(editor.marked).toEqual([
			{ uri: PROJECT_A, messages: ["rename `cnt` to `count` on line 2 (2 more)"].map((one) => `Next edit: ${one}`) },
		]);
		editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "x" }]);
		await settled();
		expect(editor.marked.at(-1)).toEqual({ uri: PROJECT_A, messages: [] });
	});

	test("are an inlay hint after the text that changes", async () => {
		const editor = await marking("hint");
		expect(editor.refreshes).toBe(1);
		const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
		const hints = await editor.connection.request(lsp.inlayHints, { textDocument: { uri: PROJECT_A }, range });
		expect(hints).toMatchObject([{ position: { line: 1, character: 7 }, label: "→ count" }]);
		const above = { start: range.start, end: { line: 0, character: 5 } };
		expect(await editor.connection.request(lsp.inlayHints, { textDocument: { uri: PROJECT_A }, range: above })).toEqual(
			[],
		);
	});

	test("are removed when the document is closed or marks are turned off", async () => {
		const editor = await marking("diagnostic");
		editor.connection.notify(lsp.didClose, { textDocument: { uri: PROJECT_A } });
		await settled();
		expect(editor.marked.at(-1)).toEqual({ uri: PROJECT_A, messages: [] });
		const late = await started({ settings: { mark: "diagnostic" } });
		await settled();
		late.open(PROJECT_A, RENAMED);
		late.replace(PROJECT_A, "cnt", "count");
		await settled();
		late.connection.notify(lsp.didChangeConfiguration, { settings: { segue: { mark: "none" } } });
		await settled();
		late.clock.advance(1000);
		await settled();
		expect(late.marked).toEqual([]);
	});

	test("report an engine failure", async () => {
		const predict = () => {
			throw new Error("broken");
		};
		const editor = await started({ predict, settings: { mark: "hint" } });
		await settled();
		editor.open(PROJECT_A, RENAMED);
		editor.replace(PROJECT_A, "cnt", "count");
		await settled();
		editor.clock.advance(1000);
		await settled();
		expect(editor.problems).toMatchObject([{ kind: "handler-failed", text: "cannot mark the next edit" }]);
	});
});

/** Returns a client with marks turned on, after the user has started a rename and paused. */
async function marking(mark: string) {
	const editor = await started({ settings: { mark } });
	await settled();
	editor.open(PROJECT_A, RENAMED);
	editor.replace(PROJECT_A, "cnt", "count");
	await settled();
	editor.clock.advance(1000);
	await settled();
	return editor;
}

describe("documents", () => {
	test.for(["js", "typescript.tsx", "plaintext", ""])(
		"use the file name if the client sends the language %j",
		async (languageId) => {
			const editor = await started();
			editor.editor.open(PROJECT_A, `const cnt = 0\nlog("cnt", cnt)\n`, languageId);
			editor.replace(PROJECT_A, "cnt", "count");
			const { edits } = await editor.nextEdits(PROJECT_A, "const count▮");
			expect(edits.map(({ text, range }) => [text, range.start])).toEqual([["count", { line: 1, character: 11 }]]);
		},
	);

	test("are lost on an invalid change until their full text arrives", async () => {
		const editor = await renaming();
		const textDocument = { uri: PROJECT_A, version: 3 };
		editor.connection.notify(lsp.didChange, { textDocument, contentChanges: [{ text: 1 }] } as never);
		expect(await editor.nextEdits(PROJECT_A, "count▮", 2)).toEqual({ edits: [] });
		expect(editor.logged.at(-1)).toMatch(/\(lost\)$/);
		const whole = { textDocument: { uri: PROJECT_A, version: 9 }, contentChanges: [{ text: editor.text(PROJECT_A) }] };
		editor.connection.notify(lsp.didChange, whole);
		expect((await editor.nextEdits(PROJECT_A, "count▮", 9)).edits).toHaveLength(1);
	});

	test("are all lost on an unreadable message, because the message may have been a change", async () => {
		const [ours, theirs] = memoryPair();
		const received: string[] = [];
		serveLsp(theirs, { version: "1", report: () => {} });
		const send = (message: object) => ours.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
		ours.open({ message: (text) => received.push(text), unreadable: () => {}, closed: () => {} }, 10_000);
		send({ id: 1, method: "initialize", params: { capabilities: {} } });
		const textDocument = { uri: PROJECT_A, languageId: "typescript", version: 1, text: RENAMED };
		send({ method: "textDocument/didOpen", params: { textDocument } });
		ours.send("{ not JSON");
		send({
			id: 2,
			method: "textDocument/copilotInlineEdit",
			params: { textDocument, position: { line: 0, character: 0 } },
		});
		await settled();
		expect(received.join("\n")).toContain("(lost)");
	});

	test("use the client's current workspace folders", async () => {
		const editor = await started();
		const folder = (name: string) => ({ uri: `file:///${name}`, name });
		const seen: unknown[] = [];
		const watched = await started({
			predict: ({ workspace }) => {
				seen.push(workspace.folders.map(({ name }) => name));
				return { silence: "nothing-found" };
			},
			params: { workspaceFolders: [folder("one")] },
		});
		watched.open(PROJECT_A, RENAMED);
		await watched.nextEdits(PROJECT_A, "▮const");
		const event = { added: [folder("two"), folder("two")], removed: [folder("one")] };
		watched.connection.notify(lsp.didChangeWorkspaceFolders, { event });
		await watched.nextEdits(PROJECT_A, "▮const");
		expect(seen).toEqual([["one"], ["two"]]);
		editor.connection.close();
	});

	test("map forwarded diagnostics through changes and drop those whose text changed", async () => {
		const editor = await unknownName();
		editor.connection.notify(lsp.forwardedDiagnostics, { uri: PROJECT_A, diagnostics: [UNKNOWN_NAME] });
		editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "// new\n" }]);
		const [action] = await editor.actions(PROJECT_A, "formatDate▮");
		expect(action?.title).toMatch(/^Next edit: `formatDate` is not defined here/);
		editor.replace(PROJECT_A, "formatDate(today)", "other(today)");
		const actions = await editor.actions(PROJECT_A, "other▮");
		expect(actions.map(({ title }) => title).join()).not.toContain("formatDate");
	});

	test("include ignore files, which are watched for changes", async () => {
		const changed: string[] = [];
		const choice: ModelChoice = {
			...{ chosen: "embedded", models: [], settings: {}, trouble: undefined },
			predictorOf: () => expect.unreachable("no model is chosen"),
			isPrivate: () => false,
			changed: (uri) => void changed.push(uri),
		};
		const workspace = { ...ALL_CLIENT_CAPABILITIES.workspace, didChangeWatchedFiles: { dynamicRegistration: true } };
		const params = { capabilities: { ...ALL_CLIENT_CAPABILITIES, workspace } };
		const editor = await started({ models: { in: async () => choice }, params });
		await settled();
		expect(editor.registered).toEqual(['{"watchers":[{"globPattern":"**/.gitignore"},{"globPattern":"**/.ignore"}]}']);
		const uri = "file:///project/.gitignore";
		editor.connection.notify(lsp.didChangeWatchedFiles, { changes: [{ uri }] });
		await settled();
		expect(changed).toEqual([uri]);
	});

	test("use diagnostics forwarded by a plugin", async () => {
		const editor = await unknownName();
		editor.connection.notify(lsp.forwardedDiagnostics, { uri: PROJECT_A, diagnostics: [UNKNOWN_NAME] });
		expect(await editor.actions(PROJECT_A, "formatDate▮")).not.toEqual([]);
		editor.connection.notify(lsp.forwardedDiagnostics, { uri: PROJECT_A, diagnostics: [] });
		expect(await editor.actions(PROJECT_A, "formatDate▮")).toEqual([]);
	});
});

describe("late responses", () => {
	/** Sends a request and changes the document before the prediction is ready. */
	async function late(request: (editor: LspEditor) => Promise<unknown>): Promise<[unknown, LspEditor]> {
		const ready = deferred();
		const predict: LspOptions["predict"] = (scene, memory) => ready.opened.then(() => engine(scene, memory));
		const editor = await started({ predict });
		editor.open(PROJECT_A, RENAMED);
		editor.replace(PROJECT_A, "cnt", "count");
		const response = request(editor);
		await settled();
		editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "// new\n" }]);
		await settled();
		ready.open();
		return [await response, editor];
	}

	test("are empty if the document has changed", async () => {
		const [items, editor] = await late((one) => one.complete(PROJECT_A, "log(▮cnt)"));
		expect(items).toEqual({ items: [] });
		expect(editor.logged.at(-1)).toMatch(/\(stale\)$/);
		expect((await late((one) => one.nextEdits(PROJECT_A, "count▮")))[0]).toEqual({ edits: [] });
		expect((await late((one) => one.actions(PROJECT_A, "count▮")))[0]).toEqual([]);
	});

	test("are not applied by a command if the document has changed", async () => {
		const editor = await renaming({ params: { capabilities: { workspace: { applyEdit: true } } } });
		const [action] = (await editor.actions(PROJECT_A, "count▮")) as unknown as {
			command: string;
			arguments: string[];
		}[];
		editor.edit(PROJECT_A, [{ from: 0, to: 0, insert: "// new\n" }]);
		expect(await editor.execute(action?.command, action?.arguments[0])).toBeNull();
		expect([editor.applied, editor.outcomes]).toEqual([[], []]);
	});
});

describe("a slow model", () => {
	test("reports progress and a busy status and can be cancelled", async () => {
		const prediction = deferred<Prediction>();
		const editor = await started({
			predict: () => prediction.opened,
			params: { initializationOptions: { editorInfo: {} } },
		});
		editor.open(PROJECT_A, RENAMED);
		const params = {
			textDocument: { uri: PROJECT_A, version: 1 },
			position: { line: 0, character: 0 },
			workDoneToken: "t1",
		};
		const first = editor.connection.request(lsp.inlineEdits, params);
		await settled();
		expect(editor.progress).toEqual(["t1 begin"]);
		expect(editor.statuses).toEqual([{ busy: true, kind: "Normal", message: "Looking for the next edit" }]);
		const cancelling = new AbortController();
		const second = { ...params, workDoneToken: "t2" };
		const cancelled = codeOf(editor.connection.request(lsp.inlineEdits, second, cancelling.signal));
		await settled();
		cancelling.abort();
		expect(await cancelled).toBe(-32800);
		prediction.open({ silence: "nothing-found" });
		expect(await first).toEqual({ edits: [] });
		await settled();
		expect(editor.progress).toEqual(["t1 begin", "t2 begin", "t2 end", "t1 end"]);
	});
});
