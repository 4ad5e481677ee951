import { Editor } from "@segue/editor";
import { type Prediction, predict, type Scene, type Suggestion } from "@segue/predict";
import { type Connection, memoryPair } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { FakeHost } from "@segue/testing/editors/fake-host";
import { settled } from "@segue/testing/rpc/peers";
import { inTier } from "@segue/testing/setup/tier";
import { describe, expect, test } from "vitest";
import { serveAcp } from "./acp-server.js";

// For a long run with a new seed each time: RANDOM_STEPS=100000 npx vitest run
// packages/server/src/acp/random-editing.test.ts --testTimeout=0

const isLong = process.env["RANDOM_STEPS"] !== undefined;
const STEPS = Number(process.env["RANDOM_STEPS"] ?? inTier(1000, 10_000));
const RESTARTS = 3;

const SYNCS = inTier(["both"] as const, ["events", "context", "both"] as const);

describe.each(SYNCS)("an editor that syncs documents with %s", (sync) => {
	// In a long run, every kind of sync runs all steps.
	const steps = isLong || sync === "events" ? STEPS : 1000;

	test("stays in sync and sends feedback once per suggestion under random edits", async () => {
		const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 20_260_101;
		const world = new World(sync, seed);
		for (let step = 0; step < steps; step++) {
			if (step % Math.ceil(steps / (RESTARTS + 1)) === 1 && step > 1) world.kill();
			await world.step();
		}
		await world.end();
		expect(world.problems, `seed ${seed}`).toEqual([]);
		expect(world.restarts).toBe(RESTARTS);
		// Make sure that every kind of event occurred.
		for (const [what, count] of Object.entries(world.counts)) expect([what, count > steps / 50]).toEqual([what, true]);
	});
});

const NAMES = ["count", "total", "width", "naïve", "größe", "名前", "x1"];
const SNIPPETS = [
	"const count = 0\n",
	"log(total)\r\n",
	"return width\n",
	"😀",
	"a.b(c)\n",
	"\t",
	"  if (count) total()\n",
	"\r",
];

/** A user with an editor and an agent. Errors are collected in `problems`. */
class World {
	readonly problems: string[] = [];
	readonly counts = { suggests: 0, offered: 0, accepted: 0, rejected: 0, compared: 0 };
	restarts = 0;
	private readonly host = new FakeHost();
	private readonly clock = new FakeClock();
	private readonly editor: Editor;
	private readonly random: () => number;
	private agent: Connection<"agent"> | undefined;
	/** The editor's documents when each request was sent, by the request's id. */
	private readonly sent = new Map<unknown, ReadonlyMap<string, string>>();
	/** The documents at the time of the request that the agent is handling. */
	private current: ReadonlyMap<string, string> = new Map();
	/** The number of times feedback was sent for each suggestion on the current connection. */
	private readonly feedback = new Map<string, number>();
	private files = 0;

	constructor(sync: "events" | "context" | "both", seed: number) {
		this.random = mulberry32(seed);
		const { clock, host } = this;
		host.canSearch(async (files) => (this.random() < 0.5 ? files : []));
		this.editor = new Editor({
			host,
			clock,
			clientInfo: { name: "random", version: "1.0.0" },
			connect: () => {
				const [ours, theirs] = memoryPair();
				this.agent = serveAcp(theirs, {
					version: "0.0.0",
					sync,
					now: clock.now,
					predict: (scene, memory) => {
						this.compare(scene);
						return this.random() < 0.4 ? this.guess(scene) : predict(scene, memory);
					},
					report: ({ kind, text }) => this.problems.push(`${kind}: ${text}`),
				});
				this.agent.tap(({ direction, phase, text }) => {
					if (phase === "before") this.listen(direction, JSON.parse(text));
				});
				this.sent.clear();
				return ours;
			},
			connected: (connection) => {
				connection.tap(({ direction, phase, text }) => {
					const { id, method } = JSON.parse(text);
					if (direction !== "out" || phase !== "before" || method !== "nes/suggest") return;
					this.sent.set(id, new Map(host.uris.map((uri) => [uri, host.text(uri)])));
				});
			},
		});
		host.editor = this.editor;
		for (let i = 0; i < 3; i++) this.open();
	}

	async step(): Promise<void> {
		const { host } = this;
		const uri = host.activeUri;
		if (uri === undefined) this.focusAny();
		else await this.doAnything(uri, host.text(uri));
		this.clock.advance(this.pick([5, 20, 60, 150, 400, 1500]));
		if (this.random() < 0.3) await settled();
	}

	kill(): void {
		this.restarts++;
		this.feedback.clear();
		this.agent?.close();
	}

	async end(): Promise<void> {
		await settled();
		while (this.editor.reject()) await settled();
		await this.editor.close();
		for (const [id, count] of this.feedback) if (count === 0) this.problems.push(`${id} has no feedback`);
	}

	private async doAnything(uri: string, text: string): Promise<void> {
		const { host, editor } = this;
		const at = Math.floor(this.random() * (text.length + 1));
		const dice = this.random();
		// Accept often enough to test accepted suggestions.
		if (editor.current !== undefined && this.random() < 0.3) await editor.tab();
		else if (dice < 0.3) host.type(this.pick([...NAMES, "(", ")", " ", "\n", ";", "😀"]));
		else if (dice < 0.45) this.renameAnything(uri, text);
		else if (dice < 0.55) this.replaceAround(uri, text, at, "");
		else if (dice < 0.6) this.replaceAround(uri, text, at, this.pick(SNIPPETS), "paste");
		else if (dice < 0.66) host.undo(uri);
		else if (dice < 0.72) host.move(whole(text, at), whole(text, Math.min(text.length, at + 3)));
		else if (dice < 0.75) host.scroll(uri, { from: whole(text, at), to: text.length });
		else if (dice < 0.77) host.save(uri);
		else if (dice < 0.8) this.focusAny();
		else if (dice < 0.81) this.open();
		else if (dice < 0.82) host.close(uri);
		else if (dice < 0.83)
			host.folders = [...host.folders.slice(0, 1), { uri: `file:///other/${this.files}`, name: "other" }];
		else if (dice < 0.84) editor.didChangeWorkspace();
		else if (dice < 0.85)
			host.diagnose(uri, [{ from: whole(text, at), to: text.length, severity: "error", message: `${at}` }]);
		else if (dice < 0.87) void editor.suggest();
		else if (dice < 0.92) void editor.tab();
		else if (dice < 0.94) void editor.accept(this.pick(["word", "line", "whole"]));
		else if (dice < 0.96) editor.reject();
		else await settled();
	}

	/** Renames one of several uses of a name, so the agent can suggest renaming the others. */
	private renameAnything(uri: string, text: string): void {
		const name = this.pick(NAMES);
		const from = text.indexOf(name);
		if (from < 0) return;
		this.host.edit(uri, [{ from, to: from + name.length, insert: this.pick(NAMES) }]);
	}

	private replaceAround(
		uri: string,
		text: string,
		at: number,
		insert: string,
		cause: "typing" | "paste" = "typing",
	): void {
		const from = whole(text, at);
		const to = whole(text, Math.min(text.length, at + Math.floor(this.random() * 4)));
		this.host.edit(uri, [{ from, to: Math.max(from, to), insert }], cause);
	}

	private open(): void {
		const name = ["a.ts", "b.ts", "c.py", ".env", "d.rs", "e.ts"][this.files++ % 6] ?? "";
		const uri = `file:///project/${name}`;
		if (this.host.uris.includes(uri)) return;
		this.host.open(uri, Array.from({ length: 12 }, () => this.pick(SNIPPETS)).join(""));
		this.host.focus(uri);
	}

	private focusAny(): void {
		const { uris } = this.host;
		if (uris.length === 0) this.open();
		else this.host.focus(this.pick(uris));
	}

	/** Checks that the agent has the editor's documents as they were at the time of the request. */
	private compare({ document, neighbours }: Scene): void {
		for (const { uri, text } of [document, ...neighbours]) {
			this.counts.compared++;
			if (uri.includes(".env")) this.problems.push("the agent has a secret file");
			if (this.current.get(uri) !== text.toString()) this.problems.push(`${uri} is out of sync`);
		}
	}

	/** Returns random suggestions of all kinds. */
	private guess({ document, neighbours }: Scene): Prediction {
		const about = { predictor: "repeat", rules: [""], key: "", cursor: 0, why: "a guess", confidence: 1 } as const;
		const suggestions = Array.from({ length: 3 }, (): Suggestion => {
			const { uri, text } = this.pick([document, document, ...neighbours]);
			const at = whole(text.toString(), Math.floor(this.random() * (text.length + 1)));
			const to = whole(text.toString(), Math.min(text.length, at + 2));
			const insert = this.pick([...NAMES, ...SNIPPETS]);
			if (this.random() < 0.1) return { ...about, kind: "jump", uri, at };
			if (this.random() < 0.1)
				return { ...about, kind: "searchAndReplace", uri, search: this.pick(NAMES), replace: insert, isRegex: false };
			return { ...about, kind: "edit", uri, edits: [{ from: at, to, insert }], cursor: at };
		});
		return { suggestions };
	}

	private listen(direction: "in" | "out", message: Message): void {
		if (direction === "out") {
			for (const { id } of message.result?.suggestions ?? []) {
				this.counts.offered++;
				this.feedback.set(id, 0);
			}
			const reason = message.result?._meta?.segue?.reason;
			if (["stale", "lost", "no-text"].includes(reason ?? "")) this.problems.push(`no suggestion: ${reason}`);
			return;
		}
		if (message.method === "nes/suggest") {
			this.counts.suggests++;
			this.current = this.sent.get(message.id) ?? new Map();
		}
		// No feedback is sent for suggestions that are pending when the session ends.
		if (message.method === "nes/close") this.feedback.clear();
		if (message.method !== "nes/accept" && message.method !== "nes/reject") return;
		this.counts[message.method === "nes/accept" ? "accepted" : "rejected"]++;
		const id = String(message.params?.id);
		const before = this.feedback.get(id);
		if (before === undefined) this.problems.push(`feedback for ${id}, which was never offered`);
		else if (before > 0) this.problems.push(`second feedback for ${id}`);
		else this.feedback.set(id, 1);
	}

	private pick<T>(items: readonly T[]): T {
		return items[Math.floor(this.random() * items.length)] as T;
	}
}

interface Message {
	readonly id?: number;
	readonly method?: string;
	readonly params?: { readonly uri?: string; readonly id?: string };
	readonly result?: {
		readonly suggestions?: readonly { readonly id: string }[];
		readonly _meta?: { readonly segue?: { readonly reason?: string } };
	};
}

/** Moves an offset out of the middle of a character or a line break. */
function whole(text: string, offset: number): number {
	const isInside = /^(?:[\udc00-\udfff]|\n(?<=\r\n))/u.test(text.slice(offset));
	return offset > 0 && (isInside || (text[offset] === "\n" && text[offset - 1] === "\r")) ? offset - 1 : offset;
}

/** A small pseudorandom number generator with a seed. */
function mulberry32(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
