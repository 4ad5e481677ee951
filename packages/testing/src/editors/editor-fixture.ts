import { Editor } from "@segue/editor";
import type * as acp from "@segue/protocol/acp";
import { rangeAt, Text } from "@segue/text";
import { expect, onTestFinished } from "vitest";
import { ScriptedAgent } from "../agents/scripted-agent.js";
import { FakeClock } from "../clock.js";
import { deferred, settled } from "../rpc/peers.js";
import { FakeHost } from "./fake-host.js";

/** Longer than any debounce before a suggestion request. */
const PAUSE_MS = 3000;

/**
 * An editor that embeds `@segue/editor`, and a scripted agent that shares its clock. After each test, all messages from
 * the editor must be valid.
 */
export class EditorFixture {
	readonly clock = new FakeClock();
	readonly host = new FakeHost();
	readonly agent = new ScriptedAgent();
	readonly editor: Editor;

	/**
	 * Creates a fixture whose user has opened a document, with the cursor at its end. The agent has answered the first
	 * request.
	 */
	static async resting(uri: string, text: string, prepare?: PrepareFixture): Promise<EditorFixture> {
		const fixture = new EditorFixture(prepare);
		await settled();
		await fixture.open(uri, text);
		await fixture.pause();
		fixture.forget();
		return fixture;
	}

	/** Like `resting`, but the user has also requested and received these suggestions. Later requests return none. */
	static async offering(
		uri: string,
		text: string,
		suggestions: (fixture: EditorFixture) => readonly ScriptedSuggestion[],
		prepare?: PrepareFixture,
	): Promise<EditorFixture> {
		const fixture = await EditorFixture.resting(uri, text, prepare);
		fixture.script(...suggestions(fixture));
		await fixture.editor.suggest();
		fixture.script();
		fixture.forget();
		return fixture;
	}

	constructor(prepare: PrepareFixture = () => {}) {
		prepare(this);
		const { host, agent, clock } = this;
		const clientInfo = { name: "stage", version: "1.0.0" };
		this.editor = new Editor({ host, connect: agent.connect, clientInfo, clock });
		host.editor = this.editor;
		onTestFinished(async () => {
			await this.editor.close();
			expect(agent.violations).toEqual([]);
		});
	}

	/** Opens and focuses a document, with the cursor at its end. */
	async open(uri: string, text: string): Promise<void> {
		this.host.open(uri, text);
		this.host.focus(uri);
		this.host.move(text.length);
		await settled();
	}

	/** Pauses for long enough to request and receive suggestions. */
	async pause(ms = PAUSE_MS): Promise<void> {
		await settled();
		this.clock.advance(ms);
		await settled();
	}

	/** Clears the recorded messages and notices. */
	forget(): void {
		this.agent.received.length = 0;
		this.host.notes.length = 0;
	}

	/** Sets the agent's suggestions. Each response uses new ids: `1`, `2`, … */
	script(...suggestions: readonly ScriptedSuggestion[]): void {
		let count = 0;
		this.agent.suggest = () => ({
			suggestions: suggestions.map((one) => ({ id: `${++count}`, ...one }) as acp.Suggestion),
		});
	}

	/**
	 * Defers the agent's responses. Each function in the result resolves one request, with a valid or invalid response.
	 */
	answerLater(): ((response: unknown) => void)[] {
		const answers: ((response: unknown) => void)[] = [];
		this.agent.suggest = () => {
			const { opened, open } = deferred<acp.SuggestResponse>();
			answers.push(open as (response: unknown) => void);
			return opened;
		};
		return answers;
	}

	/** Returns an edit in wire form to the current text of an open document or to a file on disk. */
	edit(uri: string, from: number, to: number, newText: string): ScriptedSuggestion {
		const text = this.host.uris.includes(uri) ? this.host.document(uri).text : Text.of(this.host.disk.get(uri) ?? "");
		return { kind: "edit", uri, edits: [{ range: rangeAt(text, from, to, this.agent.encoding ?? "utf-16"), newText }] };
	}

	get requests(): acp.SuggestRequest[] {
		return this.agent.paramsOf("nes/suggest") as acp.SuggestRequest[];
	}

	/** The outcomes reported to the agent, for example `1 accept` or `2 reject ignored`. */
	get verdicts(): string[] {
		return this.agent.received
			.filter(({ method }) => method === "nes/accept" || method === "nes/reject")
			.map(({ method, params: { id, reason, _meta } }) => {
				const words = [id, method.slice("nes/".length), reason, _meta && JSON.stringify(_meta)];
				return words.filter((word) => word !== undefined).join(" ");
			});
	}
}

/** Configures the host and the agent before the editor is created. */
export type PrepareFixture = (fixture: Pick<EditorFixture, "host" | "agent">) => void;

/** A suggestion from the agent, valid or not. An id is added if it has none. */
export type ScriptedSuggestion = { readonly kind: string; readonly uri: string } & Readonly<Record<string, unknown>>;
