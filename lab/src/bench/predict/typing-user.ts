import type { FolderSource } from "@segue/agent/next-edit/folder-files";
import type { Predict } from "@segue/agent/next-edit/models";
import { NO_CONTEXT } from "@segue/agent/next-edit/request";
import { type NextEditResponse, NextEditSession } from "@segue/agent/next-edit/session";
import { offsetOf, readContentChanges, Text } from "@segue/text";
import type { Scenario } from "./scenario.js";

interface Position {
	readonly line: number;
	readonly character: number;
}

interface ContentChange {
	readonly range: { readonly start: Position; readonly end: Position };
	readonly text: string;
}

const CALL = { signal: new AbortController().signal };

/** A user who types in a session's first document. */
export class TypingUser {
	/** Number of responses that contained a suggestion. */
	suggested = 0;
	private readonly session: NextEditSession;
	private readonly uri: string;
	private readonly keystrokes: Generator<{ change: ContentChange; cursor: Position }, never>;
	private version = 1;

	constructor(
		private readonly scenario: Scenario,
		predict: Predict,
		/** If absent, only open documents are searched. */
		workspace?: { readonly uri: string; readonly folders: FolderSource },
	) {
		this.session = new NextEditSession({
			kinds: new Set(),
			workspace: { uri: workspace?.uri, folders: [], repository: undefined },
			predict,
			now: () => performance.now(),
			folders: workspace?.folders,
		});
		for (const { uri, text } of scenario.documents.toReversed()) {
			this.session.didOpen({ uri, languageId: "typescript", version: 1, text: Text.of(text) });
		}
		this.uri = scenario.documents[0]?.uri ?? "";
		for (const { line, text } of scenario.before) {
			const end = { line: line + 1, character: 0 };
			this.change([{ range: { start: { line, character: 0 }, end }, text: `${text}\n` }]);
		}
		this.keystrokes = keystrokesOf(scenario);
	}

	/** Types a key and returns the time until the response, in milliseconds. */
	type(): number {
		const { change, cursor } = this.keystrokes.next().value;
		const start = performance.now();
		this.change([change]);
		this.ask(cursor);
		return performance.now() - start;
	}

	/** Like `type`, but for responses that may need to read files first. */
	async typeAndWait(): Promise<number> {
		const { change, cursor } = this.keystrokes.next().value;
		const start = performance.now();
		this.change([change]);
		this.note(await this.suggest(cursor));
		return performance.now() - start;
	}

	close(): Promise<void> {
		return this.session.close();
	}

	/** Returns the milliseconds taken to apply changes, either in one event or in an event each. */
	changeTime(changes: readonly ContentChange[], events: "one" | "many"): number {
		const start = performance.now();
		if (events === "one") this.change(changes);
		else for (const change of changes) this.change([change]);
		return performance.now() - start;
	}

	/** Returns the milliseconds taken by a request at the cursor. */
	askTime(): number {
		const { line, character } = this.scenario;
		const start = performance.now();
		this.ask({ line, character });
		return performance.now() - start;
	}

	private change(contentChanges: readonly ContentChange[]): void {
		const { uri, text } = this;
		const change = readContentChanges(text, contentChanges, "utf-16");
		this.session.didChange({ uri, version: ++this.version, change, isWhole: false });
	}

	private ask(position: Position): void {
		const answer = this.suggest(position);
		if (answer instanceof Promise) throw new Error("the embedded engine must answer synchronously");
		this.note(answer);
	}

	private suggest(position: Position): NextEditResponse | Promise<NextEditResponse> {
		const { uri, version, text } = this;
		const cursor = offsetOf(text, position, "utf-16");
		const place = { uri, version, cursor, anchor: cursor };
		return this.session.suggest({ ...place, trigger: "automatic", context: NO_CONTEXT }, CALL);
	}

	private note(answer: NextEditResponse): void {
		if ("suggestions" in answer) this.suggested++;
	}

	private get text(): Text {
		return this.session.held(this.uri)?.document.text ?? Text.empty;
	}
}

/** Yields keystrokes that repeatedly type the scenario's text and delete all but its first letter. */
function* keystrokesOf({
	line,
	character,
	typed,
}: Scenario): Generator<{ change: ContentChange; cursor: Position }, never> {
	const at = (count: number) => ({ line, character: character + count });
	const type = (count: number) => {
		return {
			change: { range: { start: at(count), end: at(count) }, text: typed.charAt(count) },
			cursor: at(count + 1),
		};
	};
	const erase = (count: number) => {
		return { change: { range: { start: at(count - 1), end: at(count) }, text: "" }, cursor: at(count - 1) };
	};
	yield type(0);
	for (;;) {
		for (let count = 1; count < typed.length; count++) yield type(count);
		for (let count = typed.length; count > 1; count--) yield erase(count);
	}
}
