import { type DisplayedSuggestion, Editor } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import { type Channel, type Connection, memoryPair } from "@segue/rpc";
import { serveAcp } from "@segue/server";
import { Change, languageOf, offsetOf, offsetsOf, Text } from "@segue/text";
import { FakeClock } from "../clock.js";
import { FakeHost } from "../editors/fake-host.js";
import { settled } from "../rpc/peers.js";

// Longer than the longest debounce before an automatic request (3 s), so that every request has been sent and answered.
const REST_MS = 4000;
// The clock advances in these steps. Pending work runs after each step.
const STEP_MS = 10;

const ROOT = "file:///project/";

/** Keys in a plan that are not characters to type. */
export const BACKSPACE = "⌫";
export const UNDO = "↶";
export const REST = "…";
/** Declares the typed name on the next line, which makes a rename to it impossible. */
export const DECLARE = "↓";
/** Adds an unrelated word at the end of the file. */
export const ELSEWHERE = "↧";
/** Types a letter in another file. */
export const OTHER_FILE = "⇄";

const OTHER_PATH = "notes.ts";

/** A plan in which a user selects a name and types another one over it, in a file that uses the name several times. */
export interface NamePlan {
	readonly path: string;
	readonly text: string;
	/** The name to replace, at its first occurrence. */
	readonly name: string;
	/**
	 * One key per character: a character to type, or one of the special keys above. The user pauses after the last key.
	 */
	readonly keys: string;
	/** Time between two keys. */
	readonly keyMs: number;
	/** Latency of each message from the agent. */
	readonly latencyMs: number;
}

export interface NameFigures {
	readonly keys: number;
	/** Number of pauses, and number of those with a suggestion on screen. */
	readonly rests: number;
	readonly shownAtRest: number;
	/** Suggestions on screen at a pause that the agent would not return for the current text. */
	readonly staleAtRest: readonly string[];
	/** Suggestions shown at any time that would write a different name from the one in the text. */
	readonly staleNames: readonly string[];
}

/**
 * Plays each plan in an editor that embeds `@segue/editor`, against the agent without a model. At each pause the last
 * request is repeated with the same text and edits. The response must contain the suggestion on screen.
 */
export async function simulateNames(plans: readonly NamePlan[]): Promise<NameFigures> {
	const all: NameFigures[] = [];
	for (const plan of plans) all.push(await new NameTyping(plan).play());
	const sum = (of: (figures: NameFigures) => number) => all.reduce((total, one) => total + of(one), 0);
	return {
		keys: sum(({ keys }) => keys),
		rests: sum(({ rests }) => rests),
		shownAtRest: sum(({ shownAtRest }) => shownAtRest),
		staleAtRest: all.flatMap(({ staleAtRest }) => staleAtRest),
		staleNames: all.flatMap(({ staleNames }) => staleNames),
	};
}

/** Files in which a name is replaced, one for each language that the rules support best. */
export const NAME_SAMPLES: readonly Pick<NamePlan, "path" | "text" | "name">[] = [
	{
		path: "cart.ts",
		name: "cnt",
		text: "export function totalOf(items: Item[]): number {\n\tlet cnt = 0;\n\tlet total = 0;\n\tfor (const item of items) {\n\t\ttotal += priceOf(item);\n\t\tcnt += 1;\n\t}\n\tif (cnt > 10) total *= 0.95;\n\tconsole.log(cnt);\n\treturn total;\n}\n",
	},
	{
		path: "report.py",
		name: "rows",
		text: "def report(rows):\n    lines = []\n    for row in rows:\n        lines.append(format(row))\n    if len(rows) > 10:\n        lines.append(str(len(rows)))\n    return lines\n",
	},
	{
		path: "retry.go",
		name: "tries",
		text: "func retry(url string) error {\n\ttries := 0\n\tfor tries < 3 {\n\t\tif fetch(url) {\n\t\t\treturn nil\n\t\t}\n\t\ttries++\n\t}\n\treturn failed(url, tries)\n}\n",
	},
];

/** Key sequences that replace a name: without mistakes, with corrections, and with undo. */
export const NAME_KEYS: readonly string[] = [
	"count",
	"amo…unt",
	"toal⌫⌫tal",
	"total",
	"countt⌫er",
	"count…⌫⌫⌫⌫⌫",
	"count⌫⌫⌫⌫⌫…cnt",
	"count…⌫⌫⌫⌫⌫size",
	"count…↶↶↶↶↶",
	"counts↶↶↶",
	"c…o…u…n…t",
	"count…↓",
	"amount…↓…↶",
	"count…↧",
	"count…⇄",
	"counts…⇄…⌫",
];

class NameTyping {
	private readonly clock = new FakeClock();
	private readonly host = new FakeHost();
	private readonly uri: string;
	private readonly otherUri = ROOT + OTHER_PATH;
	/** The offset of the name. */
	private readonly start: number;
	private readonly staleAtRest: string[] = [];
	private readonly staleNames: string[] = [];
	private connection: Connection<"client"> | undefined;
	private lastRequest: acp.SuggestRequest | undefined;
	private rests = 0;
	private shownAtRest = 0;

	constructor(private readonly plan: NamePlan) {
		this.uri = ROOT + plan.path;
		this.start = new RegExp(`\\b${plan.name}\\b`).exec(plan.text)?.index ?? 0;
	}

	async play(): Promise<NameFigures> {
		const { clock, host, plan, uri, start } = this;
		const editor = new Editor({
			host,
			clock,
			connect: () => this.connect(),
			clientInfo: { name: "typist", version: "1.0.0" },
			connected: (connection) => this.listen(connection),
		});
		host.editor = editor;
		host.open(this.otherUri, "let note = 1\n", languageOf(OTHER_PATH));
		host.open(uri, plan.text, languageOf(plan.path));
		host.focus(uri);
		host.move(start + plan.name.length, start);
		await this.pass(REST_MS);
		for (const key of plan.keys) {
			if (key === REST) await this.rest();
			else {
				this.press(key);
				this.checkName();
				await this.pass(plan.keyMs);
			}
		}
		await this.rest();
		await this.passUntil(editor.close());
		const { rests, shownAtRest, staleAtRest, staleNames } = this;
		return { keys: [...plan.keys].length, rests, shownAtRest, staleAtRest, staleNames };
	}

	/** Connects to the agent and delays its messages. */
	private connect(): Channel {
		const [ours, theirs] = memoryPair();
		const report = ({ text }: { readonly text: string }) => this.staleAtRest.push(text);
		serveAcp(theirs, { version: "0.0.0", sync: "events", now: this.clock.now, report });
		const { latencyMs } = this.plan;
		return {
			open: (receiver, bytesMax) =>
				ours.open(
					{
						message: (text) => void this.clock.after(latencyMs, () => receiver.message(text)),
						unreadable: (error) => receiver.unreadable(error),
						closed: (reason) => receiver.closed(reason),
					},
					bytesMax,
				),
			send: (text) => ours.send(text),
			unwrittenBytes: 0,
			close: (done) => ours.close(done),
			drop: () => ours.drop(),
		};
	}

	private listen(connection: Connection<"client">): void {
		this.connection = connection;
		connection.tap(({ direction, phase, text }) => {
			const { method, params } = JSON.parse(text) as { method?: string; params: acp.SuggestRequest };
			if (direction === "out" && phase === "before" && method === "nes/suggest") this.lastRequest = params;
		});
	}

	private press(key: string): void {
		const { host, uri } = this;
		if (key === OTHER_FILE) {
			host.focus(this.otherUri);
			host.type("x");
			return;
		}
		if (host.activeUri !== uri) host.focus(uri);
		if (key === DECLARE || key === ELSEWHERE) {
			this.editElsewhere(key);
			return;
		}
		const { anchor, head } = host.view(uri) ?? { anchor: 0, head: 0 };
		const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
		if (key === UNDO) host.undo(uri);
		else if (key !== BACKSPACE) host.edit(uri, [{ from, to, insert: key }]);
		else if (to > this.start) host.edit(uri, [{ from: from === to ? from - 1 : from, to, insert: "" }]);
	}

	/** Edits another line in the file and restores the cursor. */
	private editElsewhere(key: typeof DECLARE | typeof ELSEWHERE): void {
		const { host, uri } = this;
		const { text } = host.document(uri);
		const { head } = host.view(uri) ?? { head: 0 };
		const line = text.lineAt(this.start);
		const indent = /^\s*/.exec(text.line(line + 1))?.[0] ?? "";
		const name = wordAt(text.toString(), this.start);
		const at = key === DECLARE ? text.lineStart(line + 1) : text.length;
		host.edit(uri, [{ from: at, to: at, insert: key === DECLARE ? `${indent}const ${name} = 1\n` : "done" }]);
		host.move(head);
	}

	private async rest(): Promise<void> {
		await this.pass(REST_MS);
		this.rests++;
		const { shown } = this.host;
		if (shown === undefined) return;
		this.shownAtRest++;
		const { version } = this.host.document(this.host.activeUri ?? this.uri);
		if (this.lastRequest?.version !== version) {
			this.staleAtRest.push(`${this.describe(shown)}: no request was made for version ${version}`);
			return;
		}
		const fresh = await this.askAgain(this.lastRequest);
		const now = fresh.map((one) => this.leadOf(one));
		if (!now.includes(this.leadOfShown(shown))) this.staleAtRest.push(this.describe(shown));
	}

	private async askAgain(request: acp.SuggestRequest): Promise<readonly acp.Suggestion[]> {
		if (this.connection === undefined) throw new Error("not connected");
		return (await this.passUntil(this.connection.request(acp.nesSuggest, request))).suggestions;
	}

	/** Advances the clock until a promise settles that may depend on messages from the agent. */
	private async passUntil<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = work.finally(() => {
			isDone = true;
		});
		while (!isDone) await this.pass(STEP_MS);
		return done;
	}

	/** Advances the clock in steps and runs due work. */
	private async pass(ms: number): Promise<void> {
		for (let passed = 0; passed < ms; passed += STEP_MS) {
			this.clock.advance(Math.min(STEP_MS, ms - passed));
			await settled();
			this.checkName();
		}
	}

	/** Checks that a suggestion that replaces the old name writes the new name as currently typed. */
	private checkName(): void {
		const { shown } = this.host;
		if (shown?.kind !== "edit") return;
		const { text } = this.host.document(this.uri);
		const after = Change.of(shown.edits, text.length).apply(text).toString();
		const name = wordAt(text.toString(), this.start);
		for (const { from } of shown.edits) {
			const old = wordAt(text.toString(), from);
			const written = wordAt(after, Change.of(shown.edits, text.length).map(from, "before"));
			if (old === this.plan.name && written !== name) this.staleNames.push(this.describe(shown));
		}
	}

	private describe(shown: DisplayedSuggestion): string {
		const name = wordAt(this.host.text(this.uri), this.start);
		return `${this.plan.keys} at ${this.plan.keyMs} ms: the name is "${name}", shown: ${this.leadOfShown(shown)}`;
	}

	/** Returns the text after accepting a suggestion, or the target of a jump. */
	private leadOfShown(shown: DisplayedSuggestion): string {
		const { text } = this.host.document(this.uri);
		if (shown.kind === "edit") return Change.of(shown.edits, text.length).apply(text).toString();
		return shown.kind === "jump" ? `jump to ${shown.at}` : shown.kind;
	}

	private leadOf(suggestion: acp.Suggestion): string {
		const { text } = this.host.document(this.uri);
		if (suggestion.kind === "jump") return `jump to ${offsetOf(text, suggestion.position, "utf-16")}`;
		if (suggestion.kind !== "edit") return suggestion.kind;
		const edits = suggestion.edits.map(({ range, newText }) => ({
			...offsetsOf(text, range, "utf-16"),
			insert: newText,
		}));
		return Change.of(edits, text.length).apply(Text.of(text.toString())).toString();
	}
}

function wordAt(text: string, offset: number): string {
	const head = /\w*$/.exec(text.slice(0, offset))?.[0] ?? "";
	return head + (/^\w*/.exec(text.slice(offset))?.[0] ?? "");
}
