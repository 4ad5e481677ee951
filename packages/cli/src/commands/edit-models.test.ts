import { symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ConfiguredModels } from "@segue/agent/node/configured-models";
import * as acp from "@segue/protocol/acp";
import { AcpEditor, lineChange, segueMetaOf } from "@segue/testing/editors/acp-editor";
import { type ModelAnswer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

const TEXT = "interface Point {\n\tx: number;\n\ty: number;\n}\n\nfunction sum(p: Point) {\n\treturn p.x + p.y;\n}\n";

/** A home directory with a configured model on a scripted server, and an editor in which the project is open. */
async function editing(
	answers: readonly ModelAnswer[],
	{ project = {}, user = {}, model }: { project?: Record<string, unknown>; user?: object; model?: string } = {},
) {
	const server = await startModelServer(answers);
	const providers = { mine: { type: "openai-compatible", baseUrl: server.url } };
	const nextEdit = { model: "mine/scripted", format: "fim-qwen" };
	const files = Object.entries(project).map(([name, content]) => [`project/${name}`, content]);
	const home = new Home({ "home/config.json": { nextEdit, providers, ...user }, ...Object.fromEntries(files) });
	const clock = { atMs: 0 };
	const sources = { folder: "/", env: { SEGUE_HOME: home.home }, model, now: () => clock.atMs };
	const editor = new AcpEditor({ models: { in: async (workspace) => new ConfiguredModels(workspace, sources) } });
	await editor.initialize();
	const uriOf = (name: string) => pathToFileURL(path.join(home.project, name)).href;
	const close = async () => {
		editor.client.close();
		await settled();
		await server.stop();
		home[Symbol.dispose]();
	};
	return { server, home, editor, clock, uriOf, [Symbol.asyncDispose]: close };
}

/** Adds a line to the interface and requests a suggestion on the empty line below it. */
function ask({ editor }: { editor: AcpEditor }, uri: string) {
	editor.didChange(uri, 2, lineChange(3, 0, 0, "\tz: number;\n"));
	return editor.suggest(uri, 2, { position: { line: 5, character: 0 }, triggerKind: "automatic" });
}

const ANSWER = ["// the end\n"];

describe("a configured model", () => {
	test("writes the suggestion, which names the model", async () => {
		await using stage = await editing([ANSWER]);
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		const { suggestions } = await ask(stage, uri);
		expect(stage.server.requests.map((request) => request.path)).toEqual(["/v1/completions"]);
		expect(suggestions.map(({ _meta }) => segueMetaOf(_meta))).toMatchObject([
			{ predictor: "model", model: "mine/scripted" },
		]);
	});

	test("is not used before the first change, except for manual requests", async () => {
		await using stage = await editing([ANSWER]);
		const { editor, server } = stage;
		await editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		editor.didOpen(uri, TEXT);
		const position = { line: 4, character: 0 };
		const { _meta } = await editor.suggest(uri, 1, { position, triggerKind: "automatic" });
		expect(segueMetaOf(_meta)).toEqual({ reason: "no-history" });
		expect(server.requests).toEqual([]);
		expect((await editor.suggest(uri, 1, { position, triggerKind: "manual" })).suggestions).toHaveLength(1);
		expect(server.requests).toHaveLength(1);
	});

	test("on this machine receives requests from one session at a time", async () => {
		await using stage = await editing([[{ hold: true }, ...ANSWER], ANSWER]);
		const { editor, server } = stage;
		const uri = stage.uriOf("a.ts");
		const askInNewSession = async () => {
			await editor.start();
			editor.didOpen(uri, TEXT);
			return { response: ask(stage, uri) };
		};
		const first = await askInNewSession();
		await server.holding();
		const second = await askInNewSession();
		// If the second request did not wait, it would arrive before these complete.
		for (let i = 0; i < 20; i++) await (await fetch(`${server.url}/models`)).text();
		expect(server.requests).toHaveLength(1);
		await server.release();
		expect((await first.response).suggestions).toHaveLength(1);
		expect((await second.response).suggestions).toHaveLength(1);
		expect(server.requests).toHaveLength(2);
	});

	test("does not see ignored files", async () => {
		await using stage = await editing([ANSWER], { project: { ".gitignore": "private.ts\n", ".git/HEAD": "ref: x\n" } });
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(stage.uriOf("private.ts"), "export const Point = 'only ours'\n");
		stage.editor.didOpen(stage.uriOf("public.ts"), "export const Point = 'for all'\n");
		stage.editor.didFocus(stage.uriOf("private.ts"), { line: 0, character: 0 }, lineChange(0, 0, 1, "").range as never);
		stage.editor.didFocus(stage.uriOf("public.ts"), { line: 0, character: 0 }, lineChange(0, 0, 1, "").range as never);
		stage.editor.didOpen(uri, TEXT);
		await ask(stage, uri);
		const body = JSON.stringify(stage.server.requests[0]?.body);
		expect(body).toContain("for all");
		expect(body).not.toContain("only ours");
	});

	test.for([
		["a link to a secret file", "lenv.ts", "ignored-file"],
		["a file below a link to an ignored folder", "link/p.ts", "ignored-file"],
	] as const)("does not see %s", async ([, name, reason]) => {
		const project = { ".gitignore": "private/\n", ".git/HEAD": "ref: x\n", ".env": "KEY=1\n", "private/p.ts": TEXT };
		await using stage = await editing([ANSWER], { project });
		symlinkSync(".env", path.join(stage.home.project, "lenv.ts"));
		symlinkSync("private", path.join(stage.home.project, "link"));
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf(name);
		stage.editor.didOpen(uri, TEXT);
		expect(segueMetaOf((await ask(stage, uri))._meta)["reason"]).toBe(reason);
		expect(stage.server.requests).toEqual([]);
	});

	test("does not see a document with another URI scheme, and the reason says so", async () => {
		await using stage = await editing([ANSWER]);
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		stage.editor.didOpen("vscode-remote://wsl/a.ts", TEXT);
		expect(segueMetaOf((await ask(stage, "vscode-remote://wsl/a.ts"))._meta)["reason"]).toBe("virtual-file");
		expect(stage.server.requests).toEqual([]);
	});

	test("does not see an ignored document, and the reason says so", async () => {
		await using stage = await editing([ANSWER], { project: { ".gitignore": "a.ts\n", ".git/HEAD": "ref: x\n" } });
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		const { suggestions, _meta } = await ask(stage, uri);
		expect({ suggestions, reason: segueMetaOf(_meta)["reason"] }).toEqual({ suggestions: [], reason: "ignored-file" });
		expect(stage.server.requests).toEqual([]);
	});

	test("does not see a document if an ignore file exceeds a limit, and the reason names the file", async () => {
		const project = { ".gitignore": "a".repeat(5000), ".git/HEAD": "ref: x\n" };
		await using stage = await editing([ANSWER], { project });
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		expect(segueMetaOf((await ask(stage, uri))._meta)).toMatchObject({
			reason: "ignored-file",
			detail: expect.stringMatching(/\.gitignore cannot be used, because a pattern has more than 4096 characters\.$/),
		});
		expect(stage.server.requests).toEqual([]);
	});

	test.for([
		{ names: "the document", gitignore: "a.ts\n", answer: { suggestions: [], reason: "ignored-file" } },
		{ names: "another file", gitignore: "b.ts\n", answer: { suggestions: [expect.anything()] } },
	])(
		"respects a repository's ignore file that lists $names, even if no folder is open",
		async ({ gitignore, answer }) => {
			await using stage = await editing([ANSWER], { project: { ".gitignore": gitignore, ".git/HEAD": "ref: x\n" } });
			await stage.editor.start();
			const uri = stage.uriOf("a.ts");
			stage.editor.didOpen(uri, TEXT);
			const { suggestions, _meta } = await ask(stage, uri);
			expect({ suggestions, reason: segueMetaOf(_meta)["reason"] }).toEqual(answer);
			expect(stage.server.requests).toHaveLength(suggestions.length);
		},
	);

	test("is used outside repositories if no folder is open", async () => {
		await using stage = await editing([ANSWER]);
		await stage.editor.start();
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		expect((await ask(stage, uri)).suggestions).toHaveLength(1);
	});

	test("that is unavailable is reported with the reason if the built-in engine finds nothing", async () => {
		const user = { nextEdit: { model: "codestral/codestral-latest" }, providers: {} };
		await using stage = await editing([], { user });
		await stage.editor.start();
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		const why = "There is no key for codestral. Run: segue login codestral, or set SEGUE_API_KEY or CODESTRAL_API_KEY.";
		expect(segueMetaOf((await ask(stage, uri))._meta)).toEqual({ reason: "model-failed", detail: why });
		const [{ update }] = stage.editor.updates as [{ update: { configOptions: acp.ConfigOption[] } }];
		expect(update.configOptions.find(({ id }) => id === "nes_model")).toMatchObject({
			currentValue: "codestral/codestral-latest",
			options: [{ value: "embedded" }, { value: "codestral/codestral-latest", description: why }],
		});
	});

	test.for([
		{ when: "and the model is chosen again", choose: true, laterMs: 0, finds: true },
		{ when: "and three seconds have passed", choose: false, laterMs: 3000, finds: true },
		{ when: "but not before three seconds have passed", choose: false, laterMs: 2999, finds: false },
	])("uses a key once it is stored $when", async ({ choose, laterMs, finds }) => {
		await using stage = await editing([ANSWER], { user: { nextEdit: { model: "openai/a" } } });
		const { server, home, editor } = stage;
		await editor.start();
		const uri = stage.uriOf("a.ts");
		editor.didOpen(uri, TEXT);
		expect(segueMetaOf((await ask(stage, uri))._meta)).toMatchObject({ reason: "model-failed" });
		const providers = { openai: { baseUrl: server.url } };
		home.write("home/config.json", { nextEdit: { model: "openai/a", format: "fim-qwen" }, providers });
		home.write("home/credentials.json", { openai: "sk-stored" });
		if (choose) await editor.set("nes_model", "openai/a");
		stage.clock.atMs += laterMs;
		const { suggestions } = await editor.suggest(uri, 2, {
			position: { line: 5, character: 0 },
			triggerKind: "automatic",
		});
		expect(suggestions).toHaveLength(finds ? 1 : 0);
		expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual(finds ? ["Bearer sk-stored"] : []);
	});

	test("is described by its format and address, and can be chosen for one process", async () => {
		await using stage = await editing([], { model: "ollama/zeta" });
		await stage.editor.start();
		await settled();
		const { configOptions } = await stage.editor.client.request(acp.setConfigOption, {
			...{ sessionId: stage.editor.sessionId, configId: "nes_enabled", value: "on" },
		});
		expect(configOptions.find(({ id }) => id === "nes_model")).toMatchObject({
			currentValue: "ollama/zeta",
			options: [
				{ value: "embedded" },
				{ value: "ollama/zeta", description: "Format zeta-1 at http://127.0.0.1:11434/v1" },
			],
		});
	});

	test("in an untrusted project's file is not used", async () => {
		const project = { ".segue.json": { nextEdit: { model: "mine/scripted" } } };
		await using stage = await editing([ANSWER], { project, user: { nextEdit: {} } });
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		const { _meta } = await ask(stage, uri);
		expect(stage.server.requests).toEqual([]);
		expect(segueMetaOf(_meta)).toMatchObject({
			detail: expect.stringMatching(/^These settings in .* need your approval and are ignored: nextEdit.*segue trust/),
		});
	});

	test.for([
		{ field: "network", value: true, detail: undefined },
		{ field: "nextEdit", value: { model: "mine/scripted" }, detail: expect.stringContaining("are ignored: nextEdit") },
	])("reports an ignored project setting only if it affects next edits: $field", async ({ field, value, detail }) => {
		await using stage = await editing([], { project: { ".segue.json": { [field]: value } }, user: { nextEdit: {} } });
		await stage.editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		expect(segueMetaOf((await ask(stage, uri))._meta)["detail"]).toEqual(detail);
	});

	test("is not used if the configuration has a mistake, and the user is notified", async () => {
		await using stage = await editing([], { user: { nextEdi: 1 } });
		await stage.editor.start();
		const uri = stage.uriOf("a.ts");
		stage.editor.didOpen(uri, TEXT);
		expect(segueMetaOf((await stage.editor.suggest(uri, 1))._meta)).toMatchObject({
			detail: expect.stringMatching(/nextEdi is not a setting; did you mean nextEdit\? .* segue doctor$/),
		});
	});
});

describe("the configured next-edit settings", () => {
	test("apply from the first automatic request of a session and are sent to the editor", async () => {
		const project = { ".segue.json": { nextEdit: { offInFiles: ["generated/**"] } } };
		await using stage = await editing([], { project, user: { nextEdit: { delayMs: 350, onlyWhenAsked: true } } });
		const { editor } = stage;
		const sessionId = await editor.start({ workspaceUri: pathToFileURL(stage.home.project).href });
		const reasonIn = async (name: string, triggerKind: string) => {
			const uri = stage.uriOf(name);
			editor.didOpen(uri, "const a = 1\n");
			return segueMetaOf((await editor.suggest(uri, 1, { triggerKind }))._meta)["reason"];
		};
		expect(await reasonIn("a.ts", "automatic")).toBe("only-when-asked");
		expect(await reasonIn("a.ts", "manual")).toBe("no-history");
		expect(await reasonIn("generated/a.ts", "manual")).toBe("off-in-file");
		const { configOptions } = await editor.client.request(acp.setConfigOption, {
			...{ sessionId, configId: "nes_only_when_asked", value: "off" },
		});
		const delay = configOptions.find(({ id }) => id === "nes_delay_ms");
		expect(delay).toMatchObject({
			currentValue: "350",
			options: expect.arrayContaining([{ value: "350", name: "350 ms" }]),
		});
		expect(await reasonIn("a.ts", "automatic")).toBe("no-history");
	});
});
