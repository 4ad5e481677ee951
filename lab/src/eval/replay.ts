import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { NO_CONTEXT } from "@segue/agent/next-edit/request";
import { NextEditSession } from "@segue/agent/next-edit/session";
import type { Outliner, Outlines } from "@segue/agent/outline/outliner";
import type { Memory, Prediction, Scene } from "@segue/predict";
import { Change, languageOf, Text } from "@segue/text";
import type { Case, CommitStep } from "./cases.js";
import { CommitProgress, type Judgement, type Label } from "./commit-progress.js";
import { applyEdits, editBetween, type Lines, offsetIn, toLines } from "./lines.js";

// Example: iterating over states as training data
//
//   const outliner = await inProcessOutliner();
//   for (const line of readCaseLines(file)) {
//     for (const { scene, memory, label, isFinal } of statesOf(parseCase(file, line), outliner)) {
//       … label(uri, textAfter) → "exact" | "partial" | "loc" | "trivial" | "wrong" | "noop"
//     }
//   }

// Number of lines visible in the editor.
const LINES_SHOWN = 50;

/** How the replayed user continues: with the commit's steps, or by accepting exact suggestions. */
export type ReplayMode = "forced" | "interactive";

/** A point in the replay at which suggestions are requested. Stays valid as the replay continues. */
export interface ReplayState {
	/** Number of finished steps. */
	readonly made: number;
	/** Whether all steps are done, so that any suggestion is wrong. */
	readonly isFinal: boolean;
	readonly scene: Scene;
	readonly memory: Memory;
	/** Labels a change from a document's text to `textAfter`. */
	label(uri: string, textAfter: string): Label;
}

/** A state and the engine's answer. */
export interface ReplayAnswer {
	readonly state: ReplayState;
	readonly prediction: Prediction;
	/** The suggestion and its judgement, if there is one. */
	readonly shown: { readonly offer: SuggestionOffer; readonly judgement: Judgement } | undefined;
}

/** Returns all states in a case, without suggestions. */
export function statesOf(kase: Case, outliner: Outliner): ReplayState[] {
	return replay(kase, "forced", outliner, () => ({ silence: "nothing-found" })).map(({ state }) => state);
}

/**
 * Replays a case on an engine through a session that receives the events, requests and feedback that an editor would
 * send. In forced mode the user makes every step and ignores suggestions. In interactive mode the user accepts exact
 * suggestions and rejects others. The outliner must be synchronous, so that results are the same on every machine.
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

/** An editor in which a commit is made step by step. */
export class ReplayedEditor {
	progress: CommitProgress;
	private readonly session: NextEditSession;
	private readonly root: string;
	private readonly versions = new Map<string, number>();
	private cursor: { readonly path: string; readonly at: number } | undefined;
	private focused: string | undefined;
	/** The engine's latest prediction, set during a request. */
	private latest: { readonly state: ReplayState; readonly prediction: Prediction } | undefined;
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
				this.latest = { state, prediction };
				return prediction;
			},
			outlines,
			// A constant time makes results independent of the machine. The replayed user never pauses.
			now: () => 0,
		});
		for (const path of Object.keys({ ...kase.files, ...kase.context }).toSorted()) {
			this.versions.set(path, 1);
			const languageId = languageOf(path);
			const text = this.progress.linesOf(path).join("\n");
			this.session.didOpen({ uri: this.uriOf(path), languageId, version: 1, text: Text.of(text) });
		}
	}

	/** Makes steps in one file, by typing or by accepting a suggestion. */
	make(steps: readonly number[]): void {
		const last = steps.at(-1) as number;
		const { path, newLines } = this.kase.steps[last] as CommitStep;
		const before = this.progress.linesOf(path);
		this.progress = this.progress.with(steps);
		const after = this.progress.linesOf(path);
		const line = Math.min(this.progress.lineOf(last) + Math.max(0, newLines.length - 1), after.length - 1);
		this.write(path, before, after, line, after[line]?.length ?? 0);
	}

	/** Changes a file and moves the cursor. */
	write(path: string, before: Lines, after: Lines, line: number, character: number): void {
		this.change(path, before, after);
		this.cursor = { path, at: offsetIn(after, line, character) };
	}

	ask(isFinal: boolean): ReplayAnswer {
		if (this.cursor === undefined) throw new Error("no step has been made yet");
		const { path, at } = this.cursor;
		const version = this.versions.get(path) ?? 0;
		this.isFinal = isFinal;
		this.latest = undefined;
		const answer = this.session.suggest(
			{ uri: this.uriOf(path), version, cursor: at, anchor: at, trigger: "automatic", context: NO_CONTEXT },
			{ signal: new AbortController().signal },
		);
		if (answer instanceof Promise) throw new Error("the engine must answer synchronously");
		if (this.latest === undefined) throw new Error(`the session did not call the engine: ${JSON.stringify(answer)}`);
		const { state, prediction } = this.latest as NonNullable<typeof this.latest>;
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
		// The session supports only suggestions that are edits.
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
