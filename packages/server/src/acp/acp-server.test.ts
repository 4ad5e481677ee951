import * as acp from "@segue/protocol/acp";
import { RpcError } from "@segue/rpc";
import { A, AcpEditor, errorCodeOf, noSuggestionReasonOf } from "@segue/testing/editors/acp-editor";
import { settled } from "@segue/testing/rpc/peers";
import { isAll } from "@segue/testing/setup/tier";
import { describe, expect, test } from "vitest";
import type { AcpSync, Authentication } from "./acp-server.js";

describe("the server", () => {
	const DOCUMENT = { didOpen: {}, didChange: { syncKind: "incremental" }, didClose: {}, didSave: {}, didFocus: {} };
	const CONTEXT = { diagnostics: {}, openFiles: {}, userActions: { maxCount: 16 }, relatedSnippets: {} };
	const EVERYTHING = { ...CONTEXT, recentFiles: { maxCount: 10 }, editHistory: { maxCount: 6 } };

	test.each<[AcpSync, object]>([
		["events", { events: { document: DOCUMENT }, context: CONTEXT }],
		["context", { context: EVERYTHING }],
		["both", { events: { document: DOCUMENT }, context: EVERYTHING }],
	])(
		"requests only the events and context used with --sync %s, and repeats the request in _meta",
		async (sync, nes) => {
			const { agentCapabilities } = await new AcpEditor({ sync }).initialize();
			expect(agentCapabilities).toEqual({ nes, _meta: { segue: { nes } } });
		},
	);

	test.each<AcpSync>(["events", "context", "both"])(
		"with --sync %s, requests didChange only together with didOpen",
		async (sync) => {
			const { agentCapabilities } = await new AcpEditor({ sync }).initialize();
			const { didChange, didOpen } = agentCapabilities?.nes?.events?.document ?? {};
			expect(didChange === undefined).toBe(didOpen === undefined);
		},
	);

	test("ignores and reports events that it did not request", async () => {
		const editor = await AcpEditor.open({ [A]: "a" }, { sync: "context" });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toMatchObject([{ kind: "unknown-notification", method: "document/didOpen" }]);
	});

	test("rejects a request for an unknown session with the session's id", async () => {
		const editor = await AcpEditor.open();
		const expected = [-32002, { sessionId: "nes_99" }];
		expect(await errorCodeOf(editor.suggest(A, 1, { sessionId: "nes_99" }))).toEqual(expected);
		expect(await errorCodeOf(editor.close("nes_99"))).toEqual(expected);
		editor.sessionId = "nes_99";
		expect(await errorCodeOf(editor.set("nes_enabled", "on"))).toEqual(expected);
	});

	test("ignores and reports a notification for an unknown session", async () => {
		const editor = await AcpEditor.open({ [A]: "" });
		const gone = { sessionId: "nes_99", uri: A, id: "suggestion_1" };
		const position = { line: 0, character: 0 };
		editor.client.notify(acp.didOpen, { ...gone, languageId: "typescript", version: 1, text: "" });
		editor.client.notify(acp.didChange, { ...gone, version: 2, contentChanges: [] });
		editor.client.notify(acp.didClose, gone);
		editor.client.notify(acp.didSave, gone);
		editor.client.notify(acp.didFocus, { ...gone, version: 1, position });
		editor.client.notify(acp.nesAccept, gone);
		editor.client.notify(acp.nesReject, gone);
		await settled();
		expect(editor.problems).toHaveLength(7);
		expect(new Set(editor.problems.map(({ text }) => text))).toEqual(new Set(["unknown session"]));
	});

	test("does not accept a chat session's id for next edits", async () => {
		const editor = await AcpEditor.open();
		expect(editor.sessionId).toMatch(/^nes_/);
		expect(await errorCodeOf(editor.suggest(A, 1, { sessionId: "sess_abc123" }))).toEqual([
			-32002,
			{ sessionId: "sess_abc123" },
		]);
	});

	test("creates a new session with its own documents for every nes/start", async () => {
		const editor = await AcpEditor.open({ [A]: "a" });
		const one = editor.sessionId;
		const other = await editor.start();
		expect(other).not.toBe(one);
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(noSuggestionReasonOf(await editor.suggest(A, 1, { sessionId: one }))).toBe("no-history");
	});
});

describe("initialize", () => {
	test.each([0, 1, 2, 65535])("negotiates version 1 with a client that requests version %i", async (version) => {
		const result = await new AcpEditor().initialize({}, version);
		expect(result).toMatchObject({ protocolVersion: 1, agentInfo: { name: "segue", version: "1.2.3" } });
	});

	test("is required before any other request", async () => {
		const editor = new AcpEditor();
		const { client } = editor;
		expect(await errorCodeOf(editor.start())).toBe(-32600);
		expect(await errorCodeOf(editor.suggest(A, 1))).toBe(-32600);
		expect(await errorCodeOf(editor.close())).toBe(-32600);
		expect(await errorCodeOf(editor.set("nes_enabled", "on"))).toBe(-32600);
		expect(await errorCodeOf(client.request(acp.authenticate, { methodId: "key" }))).toBe(-32600);
		expect(await errorCodeOf(client.request(acp.logout, {}))).toBe(-32600);
		await editor.write("nes/suggest", { sessionId: 5 }, 77);
		await editor.write("session/new", {}, 78);
		expect(editor.transcript.slice(-2)).toEqual(["#77 -32600", "#78 -32600"]);
		await editor.initialize();
		expect(await editor.start()).toBe("nes_1");
	});

	test("is rejected if it is sent again", async () => {
		const editor = await AcpEditor.open();
		expect(await errorCodeOf(editor.initialize())).toBe(-32600);
		await editor.start();
	});

	test("is rejected without a version and can be retried", async () => {
		const editor = new AcpEditor();
		await editor.write("initialize", {}, 77);
		expect(editor.transcript).toEqual(["#77 -32602"]);
		expect(await editor.initialize()).toMatchObject({ protocolVersion: 1 });
	});

	test("reads the capabilities of an ACP version 2 client", async () => {
		const editor = new AcpEditor();
		const capabilities = { positionEncodings: ["utf-8"] };
		const { agentCapabilities } = await editor.client.request(acp.initialize, {
			protocolVersion: 2,
			capabilities: capabilities as never,
		});
		expect(agentCapabilities?.positionEncoding).toBe("utf-8");
	});

	test("rejects chat methods if chat is not configured", async () => {
		const editor = await AcpEditor.open();
		await settled();
		const before = editor.transcript.length;
		await editor.write("session/new", { cwd: "/", mcpServers: [] }, 77);
		await editor.write("session/prompt", { sessionId: "s", prompt: [] }, 78);
		expect(editor.transcript.slice(before)).toEqual(["#77 -32601", "#78 -32601"]);
	});
});

describe("a session", () => {
	test("can be started with or without workspace metadata", async () => {
		const editor = new AcpEditor();
		await editor.initialize();
		const started = [undefined, {}, { workspaceUri: 5, repository: { name: "a" } }, { workspaceFolders: null }];
		for (const params of started) await editor.write("nes/start", params, 100);
		await editor.write("nes/start", { workspaceFolders: [{ uri: "file:///a" }] }, 100);
		const answers = editor.transcript.filter((one) => one.startsWith("#100"));
		expect(answers).toEqual([...started.map(() => "#100 result"), "#100 -32602"]);
	});

	test.runIf(isAll)("is rejected as busy above the limit until another session is closed", async () => {
		const editor = await AcpEditor.open();
		while (editor.sessionId !== "nes_4096") await editor.start();
		expect(await errorCodeOf(editor.start())).toBe(-32001);
		await editor.close();
		expect(await editor.start()).toBe("nes_4097");
	});
});

describe("authentication", () => {
	test("offers no logout if it is not configured", async () => {
		const editor = new AcpEditor({});
		await editor.initialize();
		expect(await errorCodeOf(editor.client.request(acp.logout, {}))).toBe(-32601);
	});

	const REQUIRED = [-32000, { reason: "auth_required" }];
	const methods = [{ id: "key", name: "API key" }];

	function signInHook(): Authentication {
		let isOpen = false;
		return {
			methods,
			isSignedIn: () => isOpen,
			signIn: async () => {
				isOpen = true;
			},
			signOut: async () => {
				isOpen = false;
			},
		};
	}

	test("is required before authenticate and after logout", async () => {
		const editor = new AcpEditor({ authentication: signInHook() });
		const { authMethods, agentCapabilities } = await editor.initialize();
		expect(authMethods).toEqual(methods);
		expect(agentCapabilities?.auth).toEqual({ logout: {} });
		expect(await errorCodeOf(editor.start())).toEqual(REQUIRED);

		expect(await editor.client.request(acp.authenticate, { methodId: "key" })).toEqual({});
		await editor.start();
		editor.didOpen(A, "a");
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-history");

		expect(await editor.client.request(acp.logout, {})).toEqual({});
		expect(await errorCodeOf(editor.suggest(A, 1))).toEqual(REQUIRED);
		expect(await errorCodeOf(editor.start())).toEqual(REQUIRED);
		expect(await editor.close()).toEqual({});
	});

	test.each<[string, Authentication | undefined]>([
		["with other methods", signInHook()],
		["without methods", undefined],
	])("rejects an unknown method %s", async (_what, authentication) => {
		const editor = new AcpEditor(authentication && { authentication });
		await editor.initialize();
		expect(await errorCodeOf(editor.client.request(acp.authenticate, { methodId: "other" }))).toBe(-32602);
	});

	test("reports a failed sign-in and grants no access", async () => {
		const signIn = () => Promise.reject(new RpcError(-32000, "The key is wrong"));
		const editor = new AcpEditor({ authentication: { ...signInHook(), signIn } });
		await editor.initialize();
		expect(await errorCodeOf(editor.client.request(acp.authenticate, { methodId: "key" }))).toBe(-32000);
		expect(await errorCodeOf(editor.start())).toEqual(REQUIRED);
	});

	describe("in a terminal", () => {
		const terminal: acp.AuthMethod = {
			id: "sign-in",
			name: "Sign in",
			type: "terminal",
			args: ["login"],
			env: { A: "1" },
		};
		const authentication = (): Authentication => ({ ...signInHook(), methods: [...methods, terminal] });

		test.each<[string, object, readonly acp.AuthMethod[]]>([
			["offered to a client that has a terminal", { auth: { terminal: true } }, [...methods, terminal]],
			["not offered to a client without a terminal", { auth: { terminal: false } }, methods],
			["not offered to a client with an invalid capability", { auth: { terminal: "yes" } }, methods],
			["not offered to a client without the capability", {}, methods],
		])("is %s", async (_what, capabilities, expected) => {
			const { authMethods } = await new AcpEditor({ authentication: authentication() }).initialize(capabilities);
			expect(authMethods).toEqual(expected);
		});

		test("is rejected by authenticate", async () => {
			const editor = new AcpEditor({ authentication: authentication() });
			await editor.initialize({ auth: { terminal: true } });
			const response = editor.client.request(acp.authenticate, { methodId: "sign-in" });
			await expect(response).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("in a terminal") });
			expect(await errorCodeOf(editor.start())).toEqual(REQUIRED);
			await editor.client.request(acp.authenticate, { methodId: "key" });
			await editor.start();
		});
	});

	test("is not offered if it is not configured", async () => {
		const { authMethods, agentCapabilities } = await new AcpEditor().initialize();
		expect(authMethods).toEqual([]);
		expect(agentCapabilities).not.toHaveProperty("auth");
	});
});
