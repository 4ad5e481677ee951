import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { NO_CONTEXT } from "@segue/agent/next-edit/request";
import { NextEditSession } from "@segue/agent/next-edit/session";
import type { Outliner, Outlines } from "@segue/agent/outline/outliner";
import type { Memory, Prediction, Scene } from "@segue/predict";
import { Change, languageOf, Text } from "@segue/text";
import type { Case, CommitStep } from "./cases.js";
import { CommitProgress, type Judgement, type Label } from "./commit-progress.js";
import { applyEdits, editBetween, type Lines, offsetIn, toLines } from "./lines.js";

// For whoever wants states to learn from:
//
//   const outliner = await inProcessOutliner();
//   for (const line of readCaseLines(file)) {
//     for (const { scene, memory, label, isFinal } of statesOf(parseCase(file, line), outliner)) {
//       … label(uri, textAfter) → "exact" | "partial" | "loc" | "trivial" | "wrong" | "noop"
//     }
//   }

// What a window has room for.
const LINES_SHOWN = 50;

/** How the replayed user goes on: with what the commit did, or with suggestions where they are right. */
export type ReplayMode = "forced" | "interactive";

/** A moment at which a suggestion is asked for. It holds as it is, whatever is replayed after it. */
export interface ReplayState {
	/** How many steps of the commit are made. */
	readonly made: number;
	/** There is nothing left to do, and whatever is suggested is wrong. */
	readonly isFinal: boolean;
	readonly scene: Scene;
	readonly memory: Memory;
	/** What it would be worth to turn the present text of a document into another. */
	label(uri: string, textAfter: string): Label;
}

/** A state and what was answered. */
export interface ReplayAnswer {
	readonly state: ReplayState;
	readonly prediction: Prediction;
	/** What is shown, and what it is worth; undefined where nothing is. */
	readonly shown: { readonly offer: SuggestionOffer; readonly judgement: Judgement } | undefined;
}

/** All states of a case, if nothing is ever suggested. */
export function statesOf(kase: Case, outliner: Outliner): ReplayState[] {
	return replay(kase, "forced", outliner, () => ({ silence: "nothing-found" })).map(({ state }) => state);
}

/**
 * Replays a case for an engine, as an editor would: a session gets the same events, requests and verdicts. When forced, the user makes every step and ignores what is shown; otherwise the user accepts what is exact and
 * rejects the rest. The outliner makes its outlines at once, so that a run gives the same result on every machine.
 */
export function replay(
	kase: Case,
	mode: ReplayMode,
	outliner: Outliner,
	predict: (state: ReplayState) => Prediction,
): ReplayAnswer[] {
	const outlines = outliner.outlines();
	const answers = makeSteps(kase, mode, new ReplayedEditor(kase, outlines, predict));
	outlines.forgetAll();
	return answers;
}

function makeSteps(kase: Case, mode: ReplayMode, editor: ReplayedEditor): ReplayAnswer[] {
	const answers: ReplayAnswer[] = [];
	const { stepOrder: order, stepEvalAt } = kase;
	if (mode === "forced") {
		for (const [i, step] of order.entries()) {
			editor.make([step]);
			const isFinal = i + 1 === order.length;
			if (!isFinal && !stepEvalAt.includes(i + 1)) continue;
			const answer = editor.ask(isFinal);
			answers.push(answer);
			if (answer.shown) editor.reject(answer.shown.offer, "ignored");
		}
		return answers;
	}
	let steps = order.slice(0, 1);
	for (;;) {
		editor.make(steps);
		const isFinal = editor.progress.count >= order.length;
		const answer = editor.ask(isFinal);
		answers.push(answer);
		if (isFinal) return answers;
		const { offer, judgement } = answer.shown ?? {};
		if (offer !== undefined && judgement?.label === "exact") {
			editor.accept(offer);
			steps = [...judgement.steps];
		} else {
			if (offer !== undefined) editor.reject(offer, "rejected");
			steps = order.filter((step) => !editor.progress.isDone(step)).slice(0, 1);
		}
	}
}

/** An editor in which a commit is made step by step, with a session of its own. */
export class ReplayedEditor {
	progress: CommitProgress;
	private readonly session: NextEditSession;
	private readonly root: string;
	private readonly versions = new Map<string, number>();
	private cursor: { readonly path: string; readonly at: number } | undefined;
	private focused: string | undefined;
	private asked: { readonly state: ReplayState; readonly prediction: Prediction } | undefined;
	private isFinal = false;

	constructor(
		private readonly kase: Case,
		outlines: Outlines | undefined,
		predict: (state: ReplayState) => Prediction,
	) {
		this.progress = CommitProgress.of(kase);
		this.root = `file:///workspace/${kase.id.replace(/[^\w.-]/g, "_")}`;
		this.session = new NextEditSession({
			kinds: new Set(),
			workspace: { uri: this.root, folders: [{ uri: this.root, name: "replay" }], repository: undefined },
			predict: (scene, memory) => {
				const state = this.stateOf(scene, memory);
				const prediction = predict(state);
				this.asked = { state, prediction };
				return prediction;
			},
			outlines,
			// The replayed user never pauses, and a run gives the same result on every machine.
			now: () => 0,
		});
		for (const path of Object.keys({ ...kase.files, ...kase.context }).toSorted()) {
			this.versions.set(path, 1);
			const languageId = languageOf(path);
			const text = this.progress.linesOf(path).join("\n");
			this.session.didOpen({ uri: this.uriOf(path), languageId, version: 1, text: Text.of(text) });
		}
	}

	/** The user makes steps of one file, or accepts a suggestion that amounts to them. */
	make(steps: readonly number[]): void {
		const last = steps.at(-1) as number;
		const { path, newLines } = this.kase.steps[last] as CommitStep;
		const before = this.progress.linesOf(path);
		this.progress = this.progress.with(steps);
		const after = this.progress.linesOf(path);
		const line = Math.min(this.progress.lineOf(last) + Math.max(0, newLines.length - 1), after.length - 1);
		this.write(path, before, after, line, after[line]?.length ?? 0);
	}

	/** The user writes something into a file, and rests at a place in it. */
	write(path: string, before: Lines, after: Lines, line: number, character: number): void {
		this.change(path, before, after);
		this.cursor = { path, at: offsetIn(after, line, character) };
	}

	ask(isFinal: boolean): ReplayAnswer {
		if (this.cursor === undefined) throw new Error("nothing was made yet");
		const { path, at } = this.cursor;
		const version = this.versions.get(path) ?? 0;
		this.isFinal = isFinal;
		this.asked = undefined;
		const answer = this.session.suggest(
			{ uri: this.uriOf(path), version, cursor: at, anchor: at, trigger: "automatic", context: NO_CONTEXT },
			{ signal: new AbortController().signal },
		);
		if (answer instanceof Promise) throw new Error("the engine answers at once");
		if (this.asked === undefined) throw new Error(`the session did not ask the engine: ${JSON.stringify(answer)}`);
		const { state, prediction } = this.asked as NonNullable<typeof this.asked>;
		const [offer] = "suggestions" in answer ? answer.suggestions : [];
		return { state, prediction, shown: offer && { offer, judgement: this.judge(offer) } };
	}

	accept({ id }: SuggestionOffer): void {
		this.session.accept(id);
	}

	reject({ id }: SuggestionOffer, reason: "ignored" | "rejected"): void {
		this.session.reject(id, reason);
	}

	private stateOf(scene: Scene, memory: Memory): ReplayState {
		const { progress, isFinal } = this;
		return {
			made: progress.count,
			isFinal,
			scene,
			memory,
			label: (uri, textAfter) => this.judgeText(progress, uri, toLines(textAfter)).label,
		};
	}

	private judge({ suggestion }: SuggestionOffer): Judgement {
		const path = this.pathOf(suggestion.uri);
		// Nothing but edits was said to be welcome.
		if (suggestion.kind !== "edit" || path === undefined) return { label: "wrong", steps: [] };
		return this.progress.judge(path, applyEdits(this.progress.linesOf(path), suggestion.edits));
	}

	private judgeText(progress: CommitProgress, uri: string, after: Lines): Judgement {
		const path = this.pathOf(uri);
		return path === undefined ? { label: "wrong", steps: [] } : progress.judge(path, after);
	}

	private change(path: string, before: Lines, after: Lines): void {
		const uri = this.uriOf(path);
		if (path !== this.focused) {
			this.focused = path;
			this.session.didFocus(uri, (text) => {
				const to = text.lineCount > LINES_SHOWN ? text.lineStart(LINES_SHOWN) : text.length;
				return { cursor: 0, visible: { from: 0, to } };
			});
		}
		const version = (this.versions.get(path) ?? 0) + 1;
		this.versions.set(path, version);
		const change = Change.of([editBetween(before, after)], before.join("\n").length);
		this.session.didChange({ uri, version, change, isWhole: false });
	}

	private uriOf(path: string): string {
		return `${this.root}/${path.split("/").map(encodeURIComponent).join("/")}`;
	}

	private pathOf(uri: string): string | undefined {
		return [...this.versions.keys()].find((path) => this.uriOf(path) === uri);
	}
}
