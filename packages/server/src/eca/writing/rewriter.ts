import { type ChatModel, ModelFailure } from "@segue/models";
import * as eca from "@segue/protocol/eca";
import { type Call, type Handler, on, RpcError } from "@segue/rpc";
import { addsMask, type Clock, languageOf, maskKeys, offsetOf, Text } from "@segue/text";
import type { EcaEngine } from "../backend.js";
import type { EcaSession } from "../eca-session.js";
import { fileReachOf, pathFromEditor, textAt } from "../file-access.js";
import { splitText } from "../message-split.js";
import { FenceStripper, fencedIn } from "./code-fences.js";

// More than anybody starts by hand; a client that starts more is out of order.
const REWRITES_MAX = 16;
// What is longer is a file, and a task for chat.
const TEXT_CHARACTERS_MAX = 200_000;
// What a model is shown of the file on either side of what it rewrites.
const AROUND_CHARACTERS_MAX = 20_000;

const SYSTEM = `You rewrite a part of a file as a person asks you to.
Answer with exactly the text that takes the place of the part, and with nothing else: no explanation, no code fence, nothing of
the file around it. Keep its indentation, and keep to the file's style.`;

/** Answers `rewrite/prompt` at once, and tells what becomes of it, each rewrite by its id. */
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
		// The same id again is the same place again, with another wish.
		this.running.get(params.id)?.abort();
		this.running.set(params.id, stop);
		this.watch();
		call.afterwards(() => void this.run(params, engine, model, stop));
		return { status: "prompting", model: model.name };
	}

	/** The engine, or what the person has to mend first. */
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
			return `What is to be rewritten is longer than ${TEXT_CHARACTERS_MAX} characters. Select less, or ask in a chat.`;
		}
		const file = path == null ? undefined : pathFromEditor(path);
		if (file !== undefined && (await fileReachOf(engine.workspaceOf(this.session.folders), file)) === "nowhere") {
			return "The file holds secrets by its name, and is told to no model.";
		}
		if (maskKeys(text) !== text) {
			return "The selection holds a key or password, which no model is shown. Select less.";
		}
		if (this.running.size >= REWRITES_MAX && !this.running.has(id)) {
			return `${REWRITES_MAX} rewrites are under way already. Wait until one has ended.`;
		}
		return undefined;
	}

	/** An editor that is gone wants nothing rewritten. */
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

	/** Tells the text as it comes. Gives a sentence where it is not whole. */
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
		const say = (type: "text" | "replace", said: string) => {
			for (const [part, text] of splitText(said.replace(/\r?\n/g, lineEnd)).entries()) {
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
				return `${model.name} copied a key or password that it is not shown. Select less.`;
			say("text", unfencing.take(event.text));
		}
		if (answer.trim() === "" || end === "refused") return `${model.name} did not rewrite it. Ask in other words.`;
		const isCode = languageOf(path ?? "") !== "plaintext" && !original.includes("```");
		const code = isCode && !answer.trimStart().startsWith("```") ? fencedIn(answer) : undefined;
		// The editor takes the place of the whole selection, so that its last line ends as it did.
		const [tail = ""] = /(?:\r?\n)*$/.exec(original) ?? [];
		if (code === undefined) say("text", unfencing.end() + tail);
		else say("replace", code + tail);
		return end === "length" ? `${model.name} ran out of room before the end. Select less.` : undefined;
	}

	/** What stands around the text in its file, as far as a model may see it. */
	private async around(
		{ path: written, text, range }: eca.RewritePrompt,
		engine: EcaEngine,
		signal: AbortSignal,
	): Promise<Around | undefined> {
		const path = written == null ? undefined : pathFromEditor(written);
		if (path === undefined) return undefined;
		const workspace = engine.workspaceOf(this.session.folders);
		if ((await fileReachOf(workspace, path)) !== "anywhere") return undefined;
		try {
			const file = await textAt(workspace, path, signal);
			const at = nearestIn(file, text, range == null ? 0 : offsetAt(file, range.start));
			if (at === undefined) return undefined; // it is not saved yet
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

/** Where a text stands that an editor has there, or near there, since what is above may not be saved yet. */
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
			: `Before the part stands:\n<before>\n${around.before}\n</before>\n\nBehind it stands:\n<after>\n${around.after}\n</after>\n\n`;
	return `${file}${context}The part is:\n<part>\n${text}\n</part>\n\nWhat is wanted: ${prompt}`;
}
