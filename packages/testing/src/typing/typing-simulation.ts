import { type DisplayedSuggestion, Editor } from "@segue/editor";
import { AnswerCache, ModelPredictor, type RebasedAnswer } from "@segue/models";
import { memoryPair } from "@segue/rpc";
import { serveAcp } from "@segue/server";
import { Change, type Edit, languageOf, rebase, Text } from "@segue/text";
import { FakeClock } from "../clock.js";
import { FakeHost } from "../editors/fake-host.js";
import { ScriptedEditModel, type ScriptedEditRequest } from "../models/scripted-edit-model.js";
import { settled } from "../rpc/peers.js";
import type { TypingPlan } from "./typing-plan.js";

// The range of delays between keys, the range of pauses between locations, and the percentage of keys before which the
// user stops to think.
const KEY_MS = [40, 250] as const;
const REST_MS = [300, 1500] as const;
const THOUGHTS = 4;
// From a model on the same network to one that is distant or busy.
const LATENCY_MS = [50, 800] as const;
// Percentage of answers without an edit.
const NOTHINGS = 12;
// The number of upcoming keys that the model predicts.
const KNOWN_KEYS = [4, 16] as const;
// The clock advances in these steps. The order of events within one step is not observed.
const STEP_MS = 10;

const ROOT = "file:///project/";
const EARLIER = `${ROOT}earlier.txt`;

/** The simulated configuration: the answer cache, and whether the model speculates. */
export interface TypingConditions {
	readonly newCache: () => AnswerCache;
	readonly speculates: boolean;
	/**
	 * Percentage of keys that the user mistypes, and percentage of answers in which the model predicts something else.
	 */
	readonly mistakes: number;
}

export interface TypingFigures {
	readonly keys: number;
	/** Number of keys for which the suggestion on screen was what the user was about to type. */
	readonly covered: number;
	readonly minutes: number;
	/** Number of requests for the current text, and of speculative requests. */
	readonly requests: number;
	readonly speculations: number;
	/** Suggestions that were replaced, or removed and shown again, without a user action. */
	readonly flickers: readonly string[];
	/** Suggestions on screen that did not match the text. */
	readonly stale: readonly string[];
}

/**
 * Plays each plan at human speed in an editor that embeds `@segue/editor`, with the server, the rules and a model that
 * usually predicts the plan. The user types the plan, and presses Tab if a suggestion shows its next part during a
 * pause.
 */
export async function simulateTyping(
	plans: readonly TypingPlan[],
	conditions: TypingConditions,
): Promise<TypingFigures> {
	const all: TypingFigures[] = [];
	for (const plan of plans) all.push(await new Simulation(plan, conditions).play());
	const sum = (of: (figures: TypingFigures) => number) => all.reduce((total, one) => total + of(one), 0);
	return {
		keys: sum(({ keys }) => keys),
		covered: sum(({ covered }) => covered),
		minutes: sum(({ minutes }) => minutes),
		requests: sum(({ requests }) => requests),
		speculations: sum(({ speculations }) => speculations),
		flickers: all.flatMap(({ flickers }) => flickers),
		stale: all.flatMap(({ stale }) => stale),
	};
}

/** A suggestion on screen, and the text after accepting it. */
interface Drawn {
	readonly shown: DisplayedSuggestion;
	readonly leadsTo: string;
	/** Whether the user has typed something else since. */
	readonly isPassedBy: boolean;
}

class Simulation {
	private readonly clock = new FakeClock();
	private readonly host = new FakeHost();
	private readonly model = new ScriptedEditModel((request) => this.answer(request));
	private readonly uri: string;
	private readonly flickers: string[] = [];
	private readonly stale: string[] = [];
	/** The number of keys that produce each text in the plan. */
	private readonly reached: ReadonlyMap<string, number>;
	private drawn: Drawn | undefined;
	/** The text that the most recently removed suggestion would have produced, if it was not accepted. */
	private gone: string | undefined;
	private isUsersTurn = false;
	private requests = 0;
	private speculations = 0;

	constructor(
		private readonly plan: TypingPlan,
		private readonly conditions: TypingConditions,
	) {
		this.uri = ROOT + plan.path;
		this.reached = new Map([[plan.start, 0], ...plan.keys.map(({ text }, i) => [text, i + 1] as const)]);
		const show = this.host.show.bind(this.host);
		this.host.show = (shown) => {
			show(shown);
			this.watch(shown);
		};
	}

	async play(): Promise<TypingFigures> {
		const { clock, host, plan, conditions } = this;
		const predictor = new ModelPredictor(this.model, {
			clock,
			speculates: conditions.speculates,
			cache: conditions.newCache(),
		});
		const { name } = this.model;
		const choice = {
			chosen: name,
			settings: {},
			models: [{ name, description: "" }],
			trouble: undefined,
			predictorOf: () => predictor,
			isPrivate: () => false,
			changed: () => {},
		};
		const connect = () => {
			const [ours, theirs] = memoryPair();
			const report = ({ text }: { readonly text: string }) => this.stale.push(text);
			const models = { in: async () => choice };
			serveAcp(theirs, { version: "0.0.0", sync: "events", now: clock.now, report, models });
			return ours;
		};
		const editor = new Editor({ host, connect, clock, clientInfo: { name: "typist", version: "1.0.0" } });
		host.editor = editor;
		await settled();
		// The model receives no request before the first edit, so edit another file first.
		host.open(EARLIER, "", "plaintext");
		host.edit(EARLIER, [{ from: 0, to: 0, insert: "done" }]);
		host.open(this.uri, plan.start, languageOf(plan.path));
		host.focus(this.uri);
		let [keys, covered, done] = [0, 0, 0];
		while (done < plan.keys.length) {
			const key = plan.keys[done];
			if (key === undefined) break;
			const isNewPlace = key.place !== plan.keys[done - 1]?.place;
			if (isNewPlace) {
				await this.pass(this.between(REST_MS, "rest", done));
				const next = this.keysAfterShown();
				if (next !== undefined) {
					keys++;
					covered++;
					await this.take(editor);
					done = next;
					continue;
				}
				this.turn(() => host.move(key.edit.to, key.edit.from));
			}
			await this.pass(this.between(KEY_MS, "key", done));
			if (this.chance(THOUGHTS, "thought", done)) await this.pass(this.between(REST_MS, "thought", done));
			keys++;
			if (this.keysAfterShown() !== undefined) covered++;
			if (this.chance(this.conditions.mistakes, "mistake", done)) await this.mistype(key.edit);
			this.type(key.edit);
			done++;
		}
		await this.pass(REST_MS[1]);
		const minutes = clock.now() / 60_000;
		this.isUsersTurn = true;
		await editor.close();
		predictor.close();
		const { requests, speculations, flickers, stale } = this;
		return { keys, covered, minutes, requests, speculations, flickers, stale };
	}

	/**
	 * Returns how many keys of the plan are done after accepting the visible suggestion. Undefined if the suggestion
	 * does not bring the text closer to the end of the plan.
	 */
	private keysAfterShown(): number | undefined {
		const { shown } = this.host;
		if (shown?.kind !== "edit" || this.drawn === undefined) return undefined;
		const now = this.reached.get(this.host.text(this.uri)) ?? 0;
		const then = this.reached.get(this.drawn.leadsTo) ?? 0;
		return then > now ? then : undefined;
	}

	private async take(editor: Editor): Promise<void> {
		const id = this.host.shown?.id;
		this.isUsersTurn = true;
		while (id !== undefined && this.host.shown?.id === id) await editor.tab();
		this.isUsersTurn = false;
		this.gone = undefined;
		await settled();
	}

	private type(edit: Edit): void {
		const before = this.host.document(this.uri).text;
		const { drawn } = this;
		this.turn(() => this.host.edit(this.uri, [edit]));
		const { shown } = this.host;
		if (drawn === undefined) return;
		if (shown?.id !== drawn.shown.id) {
			// A suggestion may reappear if the user deleted the text that it depends on.
			if (drawn.shown.kind === "edit") this.allowReturn(drawn.shown, Change.of([edit], before.length), before);
			return;
		}
		// The suggestion must produce the same text as before, apart from text typed elsewhere.
		const leadsTo = this.leadOf(shown);
		const elsewhere = drawn.shown.kind === "edit" ? changeOf(drawn.shown, before).mapEdit(edit, "after") : undefined;
		const isAlong = shown.kind === "edit" && leadsTo === drawn.leadsTo;
		const isMoved =
			shown.kind !== "edit" || (elsewhere !== undefined && leadsTo === applied([elsewhere], drawn.leadsTo));
		if (!isAlong && !isMoved) this.stale.push(`${this.plan.title}: ${drawn.leadsTo}\nthen ${leadsTo}`);
		this.drawn = { shown, leadsTo, isPassedBy: drawn.isPassedBy || !isAlong };
	}

	private allowReturn({ edits }: DisplayedSuggestion & { readonly kind: "edit" }, change: Change, before: Text): void {
		if (rebase(edits, change, before).kind === "invalidated") this.gone = undefined;
	}

	private async mistype({ from, to }: Edit): Promise<void> {
		const old = this.host.text(this.uri).slice(from, to);
		this.type({ from, to, insert: "~" });
		await this.pass(KEY_MS[1]);
		this.type({ from, to: from + 1, insert: old });
		await this.pass(KEY_MS[0]);
	}

	/** Advances the clock in steps and runs due work. */
	private async pass(ms: number): Promise<void> {
		for (let passed = 0; passed < ms; passed += STEP_MS) {
			const isIdle = this.clock.isIdle;
			this.clock.advance(STEP_MS);
			// If no timers were pending, nothing has happened.
			if (!isIdle) await settled();
		}
	}

	private turn(act: () => void): void {
		this.isUsersTurn = true;
		act();
		this.isUsersTurn = false;
	}

	private watch(shown: DisplayedSuggestion | undefined): void {
		const before = this.drawn;
		if (before !== undefined && shown?.id === before.shown.id) return;
		const leadsTo = shown && this.leadOf(shown);
		this.drawn = shown && { shown, leadsTo: leadsTo ?? "", isPassedBy: false };
		const isSwap = before !== undefined && !this.isUsersTurn && !before.isPassedBy;
		if (isSwap && !(shown !== undefined && this.extends(shown, before.shown))) {
			this.flickers.push(`${this.plan.title}: ${before.leadsTo}\nwas replaced by ${leadsTo}`);
		}
		if (before === undefined && shown?.kind === "edit" && leadsTo === this.gone) {
			this.flickers.push(`${this.plan.title}: ${leadsTo}\ncame back`);
		}
		// A suggestion that was typed completely does not count as removed.
		const isDone = before?.leadsTo === this.host.text(this.uri);
		if (before?.shown.kind === "edit" && !before.isPassedBy && !isDone) this.gone = before.leadsTo;
	}

	/** Whether one suggestion extends the other: its edits can be rebased over the other's. */
	private extends(one: DisplayedSuggestion, other: DisplayedSuggestion): boolean {
		if (one.kind === "jump" && other.kind === "jump") return one.at === other.at;
		if (one.kind !== "edit" || other.kind !== "edit") return false;
		const { text } = this.host.document(this.uri);
		return rebase(one.edits, changeOf(other, text), text).kind === "rebased";
	}

	/** Returns the text after accepting a suggestion. */
	private leadOf(shown: DisplayedSuggestion): string {
		const text = this.host.text(this.uri);
		if (shown.kind !== "edit") return text;
		try {
			return applied(shown.edits, text);
		} catch (error) {
			this.stale.push(`${this.plan.title}: ${error}`);
			return text;
		}
	}

	/** Makes the model answer after its latency. The answer and the latency depend only on the text. */
	private answer(request: ScriptedEditRequest): void {
		const text = request.input.text.toString();
		if (text === this.host.text(this.uri)) this.requests++;
		else this.speculations++;
		this.clock.after(this.between(LATENCY_MS, "latency", text), () => {
			const done = this.reached.get(text);
			if (done === undefined || this.chance(NOTHINGS, "nothing", text)) request.writesNothing("no-edit");
			else if (this.chance(this.conditions.mistakes, "wrong", text))
				request.writes(this.mistaken(text, request.input.cursor));
			else request.writes(this.plan.keys[this.foreseen(done) - 1]?.text ?? text);
		});
	}

	/**
	 * Returns how many keys of the plan are done after the model's next prediction, which types a few more keys at the
	 * same location, up to the end of a word.
	 */
	private foreseen(done: number): number {
		const { keys } = this.plan;
		const place = keys[done]?.place;
		let then = done + this.between(KNOWN_KEYS, "known", done);
		while (keys[then]?.place === place && /\w/.test(keys[then]?.edit.insert ?? "")) then++;
		while (then > done + 1 && keys[then - 1]?.place !== place) then--;
		return Math.min(then, keys.length);
	}

	private mistaken(text: string, cursor: number): string {
		return `${text.slice(0, cursor)}mistaken${this.between([1, 9], "mistaken", text)}${text.slice(cursor)}`;
	}

	private between([from, to]: readonly [number, number], what: string, of: number | string): number {
		return from + (hash(`${this.plan.title} ${what} ${of}`) % (to - from + 1));
	}

	private chance(ofHundred: number, what: string, of: number | string): boolean {
		return this.between([0, 99], `chance of ${what}`, of) < ofHundred;
	}
}

function changeOf(shown: DisplayedSuggestion & { readonly kind: "edit" }, text: Text): Change {
	return Change.of(shown.edits, text.length);
}

function applied(edits: readonly Edit[], text: string): string {
	return Change.of(edits, text.length).apply(Text.of(text)).toString();
}

/** Returns a pseudo-random number derived from a string: FNV-1a with a final mix. */
function hash(text: string): number {
	let mixed = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193);
	mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
	return (mixed ^ (mixed >>> 12)) >>> 0;
}

/** Configurations from no reuse of model answers to full reuse. */
export const TYPING_VARIANTS = {
	"no cache": { newCache: () => new PendingOnlyCache(), speculates: false },
	"exact cache": { newCache: () => new ExactCache(), speculates: false },
	"rebasing cache": { newCache: () => new AnswerCache(), speculates: false },
	"rebasing cache and speculation": { newCache: () => new AnswerCache(), speculates: true },
} as const satisfies Record<string, Omit<TypingConditions, "mistakes">>;

/** Finds only pending answers for the same text. */
class PendingOnlyCache extends AnswerCache {
	override find(uri: string, text: Text): readonly RebasedAnswer[] {
		return super.find(uri, text).filter(({ isExact, answer }) => isExact && !answer.isOver);
	}
}

/** Finds only answers for the same text. */
class ExactCache extends AnswerCache {
	override find(uri: string, text: Text): readonly RebasedAnswer[] {
		return super.find(uri, text).filter(({ isExact }) => isExact);
	}
}
