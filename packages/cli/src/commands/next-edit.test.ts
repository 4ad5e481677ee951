import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as acp from "@segue/protocol/acp";
import { Connection, lines } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { type ModelAnswer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { expect, test } from "vitest";
import { runSegue } from "../program.js";

// A server loads this module when it first stores feedback, and its exit waits at most two seconds. Loading the module
// from its source can take longer, so load it before the test.
import "@segue/agent/request-log/feedback-file";

const serveInMemory = servingInMemory(runSegue);

// An editor, `segue acp`, and a model over HTTP.

const TEXT = "interface Point {\n\tx: number;\n}\n\nfunction sum(p: Point) {\n}\n";

async function editing(answers: readonly ModelAnswer[]) {
	const server = await startModelServer(answers);
	const home = new Home({
		"home/config.json": { providers: { mine: { type: "openai-compatible", baseUrl: server.url } } },
		"project/a.ts": TEXT,
	});
	const args = ["acp", "--next-edit-model", "mine/qwen2.5-coder"];
	const segue = serveInMemory(args, { folder: home.project, env: { SEGUE_HOME: home.home } });
	const channel = overStreams(segue.output, segue.input, lines);
	const client = new Connection<"client">(channel, { dialect: acp.dialect, report: () => {}, handlers: [] });
	await client.request(acp.initialize, { protocolVersion: 1, clientCapabilities: {} });
	const workspaceUri = pathToFileURL(home.project).href;
	const { sessionId } = await client.request(acp.nesStart, { workspaceUri });
	const uri = `${workspaceUri}/a.ts`;
	client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version: 1, text: TEXT });
	const range = { start: { line: 4, character: 24 }, end: { line: 4, character: 24 } };
	client.notify(acp.didChange, { sessionId, uri, version: 2, contentChanges: [{ range, text: "\n\t" }] });
	const position = { line: 5, character: 1 };
	const response = await client.request(acp.nesSuggest, {
		...{ sessionId, uri, version: 2, position },
		triggerKind: "automatic",
	});
	const end = async () => {
		client.close();
		await segue.ended;
	};
	const close = async () => {
		await end();
		await server.stop();
		home[Symbol.dispose]();
	};
	return { server, home, client, sessionId, response, end, [Symbol.asyncDispose]: close };
}

test("a model over HTTP writes a suggestion, and the suggestion's outcome is counted", async () => {
	await using stage = await editing([["return p.x;"]]);
	const { server, client, sessionId, response, home } = stage;
	expect(server.requests.map((request) => request.path)).toEqual(["/v1/completions"]);
	const [suggestion] = response.suggestions;
	expect(suggestion).toMatchObject({
		kind: "edit",
		edits: [{ newText: "return p.x;" }],
		_meta: { segue: { predictor: "model", model: "mine/qwen2.5-coder" } },
	});
	client.notify(acp.nesAccept, { sessionId, id: suggestion?.id ?? "" });
	await stage.end();
	const stats = new SegueProcess(["stats", "--json"], { folder: home.project, env: { SEGUE_HOME: home.home } });
	expect(await stats.ended).toBe(0);
	expect(JSON.parse(stats.stdout).byModel).toMatchObject([{ name: "mine/qwen2.5-coder", shown: 1, accepted: 1 }]);
});

test("an editor receives the reason why a model failed", async () => {
	await using stage = await editing([{ refuse: "unknown-model" }]);
	expect(stage.response).toEqual({
		suggestions: [],
		_meta: {
			segue: { reason: "model-failed", detail: expect.stringContaining('mine has no model named "qwen2.5-coder') },
		},
	});
});

test("a session without a model loads neither the models nor the chat engine", () => {
	const chunks = path.join(import.meta.dirname, "..", "..", "bundle", "chunks");
	const loaded = new Set(readdirSync(chunks).filter((name) => /^configured-models-\w+\.js$/.test(name)));
	const files = new Set<string>();
	// The loop also visits elements that are added during the iteration.
	for (const name of loaded) {
		const text = readFileSync(path.join(chunks, name), "utf8");
		for (const [, chunk = ""] of text.matchAll(/^(?:import |\} from )"\.\/([^"]+)";$/gm)) loaded.add(chunk);
		for (const [, file = ""] of text.matchAll(/^\/\/ packages\/(\S+)$/gm)) files.add(file);
	}
	expect(
		[...files]
			.filter((file) => /^(?:assist|models|editor)\/|^text\/src\/(?:privacy\/privacy|node\/)/.test(file))
			.sort(),
	).toEqual(["assist/src/nearest.ts", "assist/src/store/make-folder.ts", "models/src/next-edit/format-choice.ts"]);
});
