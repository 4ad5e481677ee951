import type { Predict } from "@segue/agent/next-edit/models";
import { predict as embedded, type Prediction, type Scene } from "@segue/predict";
import * as acp from "@segue/protocol/acp";
import { Connection, memoryPair, on, RpcError } from "@segue/rpc";
import { someEdits, someText } from "@segue/testing/arbitrary";
import { FakeClock } from "@segue/testing/clock";
import { type DocumentEvent, FakeEditor } from "@segue/testing/editors/fake-editor";
import { heapUsed } from "@segue/testing/heap";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { inTier } from "@segue/testing/setup/tier";
import { type Edit, offsetsOf, positionAt } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serveAcp } from "./acp-server.js";

// Runs many sessions on one connection with random user actions. For a long run with a new seed each time:
// SOAK_ROUNDS=1000 npx vitest run packages/server/src/acp/soak.test.ts --testTimeout=0

const isLong = process.env["SOAK_ROUNDS"] !== undefined;
const ROUNDS = Number(process.env["SOAK_ROUNDS"] ?? inTier(1, 3));
const SESSIONS = isLong ? 200 : inTier(40, 200);
// The users in a group act concurrently. Each action sends at most two requests, and a connection handles 64.
const GROUP = 8;
const ACTIONS = 4;
const NOTES_LENGTH = 16_000;

// Similar lines, which lead to suggestions, mixed with random text.
const someLine = fc.constantFrom("const total = one(total)\r\n", "one(total, '😀')\n", "let sum = total\r", "");
const someSource = fc.array(fc.tuple(someLine, someText()), { maxLength: 6 }).map((parts) => parts.flat().join(""));
const someAction = fc.constantFrom("edit", "rename", "rename", "suggest", "cancel", "take", "take", "open", "leave");

describe.each(["utf-8", "utf-16", "utf-32"] as const)("in %s", (encoding) => {
	test(`${SESSIONS} sessions stay in sync, answer every request and don't leak`, async () => {
		const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 20_190_620;
		const soak = await Soak.start(encoding);
		// Warm up for twice as long, until compiled code has settled and the engine's line caches are full.
		await soak.run(2 * ROUNDS, seed);
		const base = await heapUsed();
		await soak.run(ROUNDS, seed + 2 * ROUNDS);
		const { answered, cancelled, offered, problems } = soak;
		expect(problems).toEqual([]);
		for (const count of [answered, cancelled, offered]) expect(count).toBeGreaterThan(40 * ROUNDS);
		// If the scene of every request leaked, the ratio would be 1.35.
		const after = await heapUsed();
		expect(after / base).toBeLessThan(1.1);
	});
});

class Soak {
	readonly problems: unknown[] = [];
	/** Suggestion requests by outcome. */
	answered = 0;
	cancelled = 0;
	/** The number of suggestions from the real engine. */
	offered = 0;
	private users: User[] = [];
	/** Releases the slowest predictions. */
	private slow = deferred();
	private readonly clock = new FakeClock();
	private readonly client: Connection<"client">;

	static async start(encoding: acp.PositionEncoding): Promise<Soak> {
		const soak = new Soak(encoding);
		const clientCapabilities = { positionEncodings: [encoding] };
		await soak.client.request(acp.initialize, { protocolVersion: 1, clientCapabilities });
		return soak;
	}

	/** Starts all sessions, plays the rounds and closes the sessions. */
	async run(rounds: number, seed: number): Promise<void> {
		this.users = await Promise.all(Array.from({ length: SESSIONS }, () => this.newUser()));
		for (let round = 0; round < rounds; round++) {
			await fc.assert(
				fc.asyncProperty(fc.gen(), (some) => this.play(some)),
				{ numRuns: 1, endOnFailure: true, seed: seed + round },
			);
		}
		await this.end();
	}

	private constructor(private readonly encoding: acp.PositionEncoding) {
		const [ours, theirs] = memoryPair();
		const report = (problem: unknown) => this.problems.push(problem);
		const predict: Predict = (scene, memory, call) => this.predict(scene, memory, call);
		serveAcp(theirs, { version: "0.0.0", sync: "events", now: this.clock.now, predict, report });
		const handlers = [on(acp.sessionUpdate, () => {})];
		this.client = new Connection<"client">(ours, { dialect: acp.dialect, handlers, report });
	}

	/** Lets every user act, then compares every mirror with its editor's documents. */
	private async play(some: fc.GeneratorValue): Promise<void> {
		for (let first = 0; first < SESSIONS; first += GROUP) {
			const indices = Array.from({ length: GROUP }, (_, i) => first + i);
			const requests: Promise<unknown>[] = [];
			for (let count = 0; count < ACTIONS; count++) {
				for (const i of indices) requests.push(...(await this.act(i, some)));
				if (some(fc.boolean)) await settled();
				this.clock.advance(some(fc.nat, { max: 1500 }));
			}
			this.slow.open();
			this.slow = deferred();
			await Promise.all(requests);
			await Promise.all(indices.map((i) => this.compare(this.user(i))));
		}
	}

	private async end(): Promise<void> {
		const requests = this.users.map((user) => this.suggest(user, 0));
		const closed = this.users.map(({ sessionId }) => this.client.request(acp.nesClose, { sessionId }));
		this.slow.open();
		this.slow = deferred();
		await Promise.all([...requests, ...closed]);
		for (const { sessionId } of this.users) {
			await expect(this.client.request(acp.nesClose, { sessionId })).rejects.toMatchObject({ code: -32002 });
		}
		this.users = [];
	}

	/** Runs one action of one user. Returns the pending requests. */
	private async act(i: number, some: fc.GeneratorValue): Promise<Promise<unknown>[]> {
		const user = this.user(i);
		const { text } = user.editor.document(user.uri);
		const action = some(() => someAction);
		switch (action) {
			case "edit":
				user.editor.edit(
					user.uri,
					some(() => someEdits(text.length)),
				);
				return [];
			case "rename": {
				const found = [...text.toString().matchAll(/\btotal\b/g)];
				const [one] = found.slice(some(fc.boolean) ? 0 : some(fc.nat, { max: found.length }));
				if (one) user.editor.edit(user.uri, [{ from: one.index, to: one.index + 5, insert: "amount" }]);
				return [];
			}
			case "open":
				user.editor.close(user.uri);
				user.editor.open(
					user.uri,
					some(() => someSource),
					"typescript",
				);
				return [];
			case "suggest":
				return [this.suggest(user, some(fc.nat, { max: text.length }))];
			case "cancel": {
				const controller = new AbortController();
				const request = this.suggest(user, some(fc.nat, { max: text.length }), controller.signal);
				if (some(fc.boolean)) await Promise.resolve();
				controller.abort();
				return [request];
			}
			case "take":
				return [this.take(user, some(fc.constantFrom, "accept", "rejected", "ignored", "unknown"))];
			case "leave": {
				const request = this.suggest(user, 0);
				const closed = this.client.request(acp.nesClose, { sessionId: user.sessionId });
				this.users[i] = await this.newUser();
				return [request, closed];
			}
		}
	}

	private user(i: number): User {
		return this.users[i] as User;
	}

	private async newUser(): Promise<User> {
		const { client, encoding } = this;
		const { sessionId } = await client.request(acp.nesStart, {});
		const count = Number(sessionId.replace(/\D/g, ""));
		const send = (event: DocumentEvent) => sendEvent(client, event);
		const syncKind = count % 3 === 0 ? "full" : "incremental";
		const editor = new FakeEditor({ sessionId, encoding, syncKind, send });
		// Documents in different sessions share this URI and must not be mixed up.
		const uri = "file:///home/alice/main.ts";
		editor.open(uri, `const total = ${count} // 😀\r\none(total)\rtwo(total)\n`, "typescript");
		// This document is never edited. It makes a leaked session visible in the heap.
		editor.open("file:///home/alice/notes.md", `${count}`.repeat(NOTES_LENGTH / `${count}`.length));
		return { sessionId, editor, uri };
	}

	/** Resolves with no suggestions if the request is cancelled. Other errors fail the test. */
	private async suggest(
		user: User,
		offset: number,
		signal?: AbortSignal,
		triggerKind = "automatic",
	): Promise<acp.SuggestResponse> {
		const { sessionId, editor, uri } = user;
		const { text, version } = editor.document(uri);
		const position = positionAt(text, offset, this.encoding);
		const params = { sessionId, uri, version, position, triggerKind };
		try {
			const response = await this.client.request(acp.nesSuggest, params, signal);
			this.answered++;
			if (triggerKind !== "manual") this.offered += response.suggestions.length;
			return response;
		} catch (error) {
			if (!(error instanceof RpcError) || error.code !== -32800) throw error;
			this.cancelled++;
			return { suggestions: [] };
		}
	}

	/** Accepts or rejects a suggestion. The document may have changed since the request. */
	private async take(user: User, feedback: "accept" | "rejected" | "ignored" | "unknown"): Promise<void> {
		const { sessionId, editor, uri } = user;
		const before = editor.document(uri);
		const [best] = (await this.suggest(user, 0)).suggestions;
		if (best === undefined) return;
		if (feedback !== "accept") {
			const id = feedback === "unknown" ? "suggestion_0" : best.id;
			this.client.notify(acp.nesReject, { sessionId, id, reason: feedback });
			return;
		}
		if (best.kind === "edit" && editor.document(uri) === before) {
			const edits = best.edits.map(({ range, newText }): Edit => {
				return { ...offsetsOf(before.text, range, this.encoding), insert: newText };
			});
			editor.edit(uri, edits);
		}
		this.client.notify(acp.nesAccept, { sessionId, id: best.id });
	}

	/** Compares the texts. The response to a manual request contains the agent's text. */
	private async compare(user: User): Promise<void> {
		const { suggestions } = await this.suggest(user, 0, undefined, "manual");
		const [echo] = suggestions;
		const mirrored = echo?.kind === "edit" ? echo.edits[0]?.newText : undefined;
		expect(mirrored).toBe(`echo ${user.editor.document(user.uri).text}`);
	}

	/** Predicts immediately, after a while, or after all of the group's actions. */
	private async predict(...[scene, memory]: Parameters<Predict>): Promise<Prediction> {
		const { version } = scene.document;
		if (scene.trigger === "manual") return echoOf(scene);
		if (version % 3 === 1) await settled();
		if (version % 3 === 2) await this.slow.opened;
		return embedded(scene, memory);
	}
}

interface User {
	readonly sessionId: string;
	readonly editor: FakeEditor;
	readonly uri: string;
}

function echoOf({ document }: Scene): Prediction {
	const insert = `echo ${document.text}`;
	const edits = [{ from: 0, to: 0, insert }];
	const about = { predictor: "repeat", rules: ["echo"], key: "echo", confidence: 1, why: "asked" } as const;
	return { suggestions: [{ kind: "edit", uri: document.uri, edits, cursor: 0, ...about }] } as unknown as Prediction;
}

function sendEvent(client: Connection<"client">, event: DocumentEvent): void {
	if (event.method === "document/didOpen") client.notify(acp.didOpen, event.params);
	else if (event.method === "document/didChange") client.notify(acp.didChange, event.params);
	else client.notify(acp.didClose, event.params);
}
