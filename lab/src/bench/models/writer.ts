import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type EditModel, editModel } from "@segue/models";
import { readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { Text } from "@segue/text";
import { Random, randomCode } from "../random-code.js";

/** A model that always rewrites the first lines of a file in the same way. */
export interface Writer {
	readonly url: string;
	readonly model: EditModel;
	readonly input: ReturnType<typeof readPromptInput>;
	/** Sets the delay before an answer and before each line. */
	setPace(pace: { readonly thinkMs: number; readonly lineMs: number }): Promise<void>;
	/** Returns the last request that the server received. */
	lastRequest(): Promise<{ readonly url: string; readonly headers: Record<string, string>; readonly body: string }>;
	stop(): void;
}

/** The number of lines that a chat model rewrites when the cursor is on the fifth line of a file. */
const ANSWER_LINES = 20;
const CURSOR_LINE = 4;

export async function startWriter(): Promise<Writer> {
	const server = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const [port] = await once(createInterface(server.stdout), "line");
	const url = `http://127.0.0.1:${port}`;
	const input = inputOfWork();
	const lines = answerTo(input.text);
	return {
		url,
		input,
		model: editModel({
			name: "bench/model",
			api: "openai",
			model: "model",
			baseUrl: url,
			apiKey: undefined,
			headers: {},
			windowTokens: undefined,
			format: "chat",
			tellsVerdicts: false,
		}),
		async setPace(pace) {
			await (await fetch(url, { method: "PUT", body: JSON.stringify({ lines, ...pace }) })).text();
		},
		async lastRequest() {
			return JSON.parse(await (await fetch(url)).text());
		},
		stop: () => server.stdin.end(),
	};
}

/** Returns a typical prompt input: a file of 400 lines, some edits, and snippets from other files. */
function inputOfWork(): Writer["input"] {
	const random = new Random(1);
	const lines = Array.from({ length: 400 }, (_, i) => `export const handler${i} = (items) => items.map(total${i});`);
	const snippets = Array.from({ length: 6 }, (_, i) => ({
		path: `src/part${i}.ts`,
		first: 10,
		last: 40,
		text: randomCode(1500, random).trimEnd(),
	}));
	const edits = Array.from({ length: 6 }, (_, i) =>
		readPastEdit("src/handlers.ts", `const a = 1\nconst ‹cnt→count${i}› = 0\nconst b = 2\n`),
	);
	const input = readPromptInput("", {
		path: "src/handlers.ts",
		recent: snippets.slice(3),
		related: snippets.slice(0, 3),
		edits,
	});
	const text = Text.of(lines.join("\n"));
	return { ...input, text, cursor: text.lineEnd(CURSOR_LINE) };
}

/** Returns an answer in the chat format: the first lines of a file, with one of them changed. */
function answerTo(text: Text): string[] {
	const lines = Array.from({ length: ANSWER_LINES }, (_, i) => text.line(i));
	const changed = lines.map((line, i) => (i === 1 ? line.replace("items.map", "items.filter") : line));
	return ["<editable_region>", ...changed, "</editable_region>"];
}
