import { type ChatModel, ModelFailure } from "@segue/models";
import * as eca from "@segue/protocol/eca";
import { type Call, type Handler, on, RpcError } from "@segue/rpc";
import { addsMask, type Clock, languageOf, maskKeys, offsetOf, Text } from "@segue/text";
import type { EcaEngine } from "../backend.js";
import type { EcaSession } from "../eca-session.js";
import { fileReachOf, pathFromEditor, textAt } from "../file-access.js";
import { splitText } from "../message-split.js";
import { FenceStripper, fencedIn } from "./code-fences.js";

// More than users start by hand. A client that starts more is broken.
const REWRITES_MAX = 16;
// Longer text is a task for chat.
const TEXT_CHARACTERS_MAX = 200_000;
// Limit for the text on each side of the selection that is sent to a model.
const AROUND_CHARACTERS_MAX = 20_000;

const SYSTEM = `You rewrite a part of a file according to the user's instructions.
Answer with exactly the text that replaces the part and nothing else: no explanation, no code fence, none of the
surrounding text. Keep the indentation and match the file's style.`;

/** Handles `rewrite/prompt`. Responds immediately and sends the progress of each rewrite with its id. */
export function rewriteHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	const rewriter = new Rewriter(session, clock);
	return [on(eca.rewritePrompt, (params, call) => rewriter.prompt(params, call), { isTalk: true })];
}

class Rewriter {
	private readonly running = new Map<string, AbortController>();
	private isWatching = false;

	constructor(
		private readonly session: EcaSession,
		private readonly clock: Clock,
	) {}

	async prompt(params: eca.RewritePrompt, call: Call): Promise<eca.RewriteResult> {
		const refuse = (status: eca.RewriteResult["status"], model: string, message: string): eca.RewriteResult => {
			call.afterwards(() => this.send(params.id, { type: "error", message }));
			return { status, model };
		};
		const engine = await this.engine();
		if (engine instanceof RpcError) return refuse("error", "", engine.message);
		const name = engine.writers.rewrite ?? this.session.chosen?.model;
		const model = engine.models.choose(name);
		if ("why" in model) return refuse("login", name ?? "", model.why);
		const refusal = await this.refusalOf(params, engine);
		if (refusal !== undefined) return refuse("error", model.name, refusal);
		const stop = new AbortController();
		// A request with the same id is another prompt for the same selection, so stop the previous one.
		this.running.get(params.id)?.abort();
		this.running.set(params.id, stop);
		this.watch();
		call.afterwards(() => void this.run(params, engine, model, stop));
		return { status: "prompting", model: model.name };
	}

	/** Returns the engine, or an error that the user has to fix. */
	private async engine(): Promise<EcaEngine | RpcError> {
		try {
			return await this.session.engine();
		} catch (error) {
			if (error instanceof RpcError) return error;
			throw error;
		}
	}

	private async refusalOf({ id, text, path }: eca.RewritePrompt, engine: EcaEngine): Promise<string | undefined> {
		if (text.length > TEXT_CHARACTERS_MAX) {
			return `The selection is longer than ${TEXT_CHARACTERS_MAX} characters. Select less, or use a chat.`;
		}
		const file = path == null ? undefined : pathFromEditor(path);
		if (file !== undefined && (await fileReachOf(engine.workspaceOf(this.session.folders), file)) === "nowhere") {
			return "This file may contain secrets, so Segue does not send it to a model.";
		}
		if (maskKeys(text) !== text) {
			return "The selection contains a key or password, which Segue does not send to a model. Select less.";
		}
		if (this.running.size >= REWRITES_MAX && !this.running.has(id)) {
			return `${REWRITES_MAX} rewrites are already running. Wait for one to finish.`;
		}
		return undefined;
	}

	/** Stops all rewrites when the editor disconnects. */
	private watch(): void {
		if (this.isWatching) return;
		this.isWatching = true;
		this.session.closing.addEventListener("abort", () => {
			for (const stop of this.running.values()) stop.abort();
		});
	}

	private async run(
		params: eca.RewritePrompt,
		engine: EcaEngine,
		model: ChatModel,
		stop: AbortController,
	): Promise<void> {
		const { id } = params;
		const send = (content: eca.RewriteContent) => {
			if (!stop.signal.aborted) this.send(id, content);
		};
		const beganMs = this.clock.now();
		send({ type: "started" });
		try {
			const problem = await this.rewrite(params, engine, model, stop.signal, send);
			if (problem === undefined) send({ type: "finished", totalTimeMs: this.clock.now() - beganMs });
			else send({ type: "error", message: problem });
		} catch (error) {
			if (stop.signal.aborted) return;
			if (!(error instanceof ModelFailure)) this.session.report(error);
			send({
				type: "error",
				message: error instanceof ModelFailure ? error.message : "The rewrite failed. See the log.",
			});
		} finally {
			if (this.running.get(id) === stop) this.running.delete(id);
		}
	}

	/** Streams the text. Returns a message for the user if it is incomplete. */
	private async rewrite(
		params: eca.RewritePrompt,
		engine: EcaEngine,
		model: ChatModel,
		signal: AbortSignal,
		send: (content: eca.RewriteContent) => void,
	): Promise<string | undefined> {
		const { text: original, path } = params;
		const lineEnd = original.includes("\r\n") ? "\r\n" : "\n";
		const unfencing = new FenceStripper(original);
		let answer = "";
		let isThinking = false;
		const sendText = (type: "text" | "replace", content: string) => {
			for (const [part, text] of splitText(content.replace(/\r?\n/g, lineEnd)).entries()) {
				if (text !== "") send({ type: part === 0 ? type : "text", text });
			}
		};
		const text = promptOf(params, await this.around(params, engine, signal));
		const messages = [{ role: "user", parts: [{ type: "text", text }] }] as const;
		let end = "done";
		for await (const event of model.stream({ system: SYSTEM, messages, tools: [], effort: undefined }, signal)) {
			if (event.type === "thought" && !isThinking) send({ type: "reasoning" });
			isThinking = event.type === "thought";
			if (event.type === "end") end = event.reason;
			if (event.type !== "text") continue;
			answer += event.text;
			if (addsMask(original, answer))
				return `${model.name} copied the placeholder for a hidden key or password. Select less.`;
			sendText("text", unfencing.take(event.text));
		}
		if (answer.trim() === "" || end === "refused")
			return `${model.name} did not rewrite the selection. Rephrase your instructions.`;
		const isCode = languageOf(path ?? "") !== "plaintext" && !original.includes("```");
		const code = isCode && !answer.trimStart().startsWith("```") ? fencedIn(answer) : undefined;
		// The editor replaces the whole selection, so keep its trailing newlines.
		const [tail = ""] = /(?:\r?\n)*$/.exec(original) ?? [];
		if (code === undefined) sendText("text", unfencing.end() + tail);
		else sendText("replace", code + tail);
		return end === "length" ? `${model.name} reached its output limit. Select less.` : undefined;
	}

	/** Returns the text around the selection, if it may be sent to a model. */
	private async around(
		{ path: pathOrUri, text, range }: eca.RewritePrompt,
		engine: EcaEngine,
		signal: AbortSignal,
	): Promise<Around | undefined> {
		const path = pathOrUri == null ? undefined : pathFromEditor(pathOrUri);
		if (path === undefined) return undefined;
		const workspace = engine.workspaceOf(this.session.folders);
		if ((await fileReachOf(workspace, path)) !== "anywhere") return undefined;
		try {
			const file = await textAt(workspace, path, signal);
			const at = nearestIn(file, text, range == null ? 0 : offsetAt(file, range.start));
			if (at === undefined) return undefined; // not saved yet
			const end = at + text.length;
			const shown = maskKeys(file);
			const before = shown.slice(Math.max(at - AROUND_CHARACTERS_MAX, 0), at);
			return { before, after: shown.slice(end, end + AROUND_CHARACTERS_MAX) };
		} catch (error) {
			if (error instanceof RpcError) return undefined;
			throw error;
		}
	}

	private send(rewriteId: string, content: eca.RewriteContent): void {
		this.session.connection.notify(eca.rewriteReceived, { rewriteId, content });
	}
}

/** Returns the occurrence nearest to an offset. Unsaved changes above can move the text. */
function nearestIn(file: string, text: string, offset: number): number | undefined {
	const found = [file.lastIndexOf(text, offset), file.indexOf(text, offset)].filter((at) => at >= 0);
	return found.sort((a, b) => Math.abs(a - offset) - Math.abs(b - offset))[0];
}

function offsetAt(file: string, { line, character }: { readonly line: number; readonly character: number }): number {
	const place = { line: Math.max(line - 1, 0), character: Math.max(character - 1, 0) };
	return offsetOf(Text.of(file), place, "utf-16");
}

interface Around {
	readonly before: string;
	readonly after: string;
}

function promptOf({ text, prompt, path }: eca.RewritePrompt, around: Around | undefined): string {
	const file = path == null ? "" : `The file is ${path}.\n\n`;
	const context =
		around === undefined
			? ""
			: `The text before the part is:\n<before>\n${around.before}\n</before>\n\nThe text after it is:\n<after>\n${around.after}\n</after>\n\n`;
	return `${file}${context}The part is:\n<part>\n${text}\n</part>\n\nThe instructions are: ${prompt}`;
}
