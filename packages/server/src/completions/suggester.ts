import { createHash } from "node:crypto";
import { type EditModels, type ModelChoice, SessionModels } from "@segue/agent/next-edit/models";
import type { NoSuggestion } from "@segue/agent/next-edit/no-suggestion";
import type { RequestObserver } from "@segue/agent/next-edit/observer";
import { quietReason } from "@segue/agent/next-edit/quiet";
import { NO_CONTEXT } from "@segue/agent/next-edit/request";
import { NextEditSession } from "@segue/agent/next-edit/session";
import { DEFAULT_SETTINGS, type Settings } from "@segue/agent/next-edit/settings";
import type { DecodedPrompt, RegionEdit } from "@segue/models/prompts";
import { complete, History, Memory, predict, type Suggestion, sceneOf, type Workspace } from "@segue/predict";
import { Change, type Document, diffLines, languageOf, sameUri, Text, uriKey } from "@segue/text";
import { type Fragments, fragmentsOf } from "./fragments.js";
import type { ResendCounter, SentSuggestion } from "./resend-counter.js";

// The limit for the occurrences of a rename in one answer, which are requested from the session one by one. Users don't
// review more than this at a time.
const ROUNDS_MAX = 8;
// Rereading the configuration takes milliseconds, and users expect a change to take effect soon.
const CHOICE_MS_MAX = 10_000;
const MINUTE_MS = 60_000;
// The simulated time between replayed diffs. Long enough that the session does not merge their edits.
const STEP_MS = 10_000;

interface SuggesterOptions {
	/** The folder whose configuration and ignore files apply, as a URI. */
	readonly folder: string;
	readonly models: EditModels | undefined;
	readonly observer: RequestObserver | undefined;
	readonly resendCounter: ResendCounter;
	readonly now: () => number;
	/** The time when the server started. */
	readonly startedAtMs: number;
	/** Called with configuration errors. */
	readonly report: (error: unknown) => void;
}

/** A decoded prompt and its sender. */
interface SuggestCall {
	readonly prompt: DecodedPrompt;
	/** Identifies the client: `token`, or its address and user agent. */
	readonly client: string;
	/** Whether a configured model may be used. */
	readonly mayAskModel: boolean;
	readonly signal: AbortSignal;
}

/**
 * Suggests edits for prompts. Each prompt gets a new session, because the prompt contains everything we know about its
 * editor.
 */
export class Suggester {
	private chosen: { readonly choice: Promise<ModelChoice>; readonly atMs: number } | undefined;

	constructor(private readonly options: SuggesterOptions) {}

	/**
	 * Returns sorted, non-overlapping edits to the prompt's region, or an empty list. Rejects when the signal is
	 * aborted.
	 */
	async suggest(call: SuggestCall): Promise<readonly RegionEdit[]> {
		const { parts, answers, isUnclear } = call.prompt;
		if (isUnclear) return [];
		const choice = this.choose();
		const settings = await settingsIn(choice);
		const fragments = fragmentsOf(parts);
		const scene = this.open(fragments, call, choice);
		try {
			// The session's clock does not advance, so time-based settings are applied here.
			scene.session.set({ eagerness: settings.eagerness, delayMs: 0, snoozeMinutes: 0 });
			const from = fragments.windowAt + parts.before.length;
			const region = { from, to: from + parts.region.length };
			const cursor = from + (parts.cursor ?? cursorIn(fragments, region));
			const silence = this.noSuggestionReason(settings, scene.document(), cursor);
			if (silence !== undefined) {
				this.options.observer?.begin(this.workspace).recordResponse({ scene: undefined, offers: [], silence });
				return [];
			}
			const found = await this.edits(scene, region, cursor, call);
			if (found !== undefined || answers === "region") return found ?? [];
			return completionAt(scene.document(), scene.others(), cursor);
		} finally {
			await scene.session.close();
		}
	}

	/**
	 * Requests suggestions until all edits from one rule have been applied to the region. Returns a diff of the region.
	 */
	private async edits(
		{ session, document }: OpenScene,
		region: Span,
		cursor: number,
		{ prompt, client, signal, mayAskModel }: SuggestCall,
	): Promise<readonly RegionEdit[] | undefined> {
		const { parts } = prompt;
		const isInsertion = prompt.answers === "insertion";
		// Rules depend on edits, so without edits only a model can suggest something.
		if (parts.edits.length === 0 && !mayAskModel) return undefined;
		await (mayAskModel ? session.preparing : undefined);
		// Resends are not counted for prompts without a path, because the file is unknown, or for insertions, because
		// the next keystroke makes them obsolete.
		const file = isInsertion || parts.path === undefined ? undefined : digest(`${client}\0${parts.path}`);
		const trigger = isInsertion ? "manual" : "automatic";
		let [{ from, to }, at] = [region, cursor];
		let rule: string | undefined;
		let isFound = false;
		let sent: SentSuggestion | undefined;
		for (let round = 0; round < ROUNDS_MAX; round++) {
			signal.throwIfAborted();
			const { uri, version } = document();
			const answer = await session.suggest(
				{ uri, version, cursor: at, anchor: at, trigger, context: NO_CONTEXT },
				{ signal },
			);
			if ("silence" in answer) break;
			const before = document();
			const fits = ({ suggestion }: { suggestion: Suggestion }) => {
				if (suggestion.kind !== "edit" || !sameUri(suggestion.uri, uri)) return false;
				if (isInsertion) return suggestion.edits.every((edit) => edit.from === at && edit.to === at);
				return suggestion.edits.every((edit) => edit.from >= from && edit.to <= to);
			};
			const isNew = ({ suggestion }: { suggestion: Suggestion }) => {
				const sending = rule === undefined && file !== undefined ? sendingOf(suggestion, before, file) : undefined;
				return sending === undefined || !this.options.resendCounter.isDropped(sending);
			};
			const chosen = answer.suggestions.find((offer) => fits(offer) && isNew(offer));
			const isSame = rule === undefined || chosen?.suggestion.rules[0] === rule;
			const taken = chosen !== undefined && isSame ? chosen : answer.suggestions[0];
			// If a rename's next edit is outside the region, apply it to the session only, because edits inside the region
			// may follow.
			const isOutside = taken !== chosen;
			if (taken.suggestion.kind !== "edit" || (isOutside && (fits(taken) || isInsertion))) break;
			if (isOutside && taken.suggestion.predictor !== "rename") break;
			if (!isOutside) {
				isFound = true;
				if (file !== undefined) sent ??= sendingOf(taken.suggestion, before, file);
				rule ??= taken.suggestion.rules[0] ?? "";
			}
			const change = play(session, taken);
			if (change === undefined) break;
			if (sameUri(taken.document.uri, uri)) {
				[from, to] = [change.map(from, "before"), change.map(to, "after")];
				at = taken.suggestion.cursor;
			}
			if (taken === chosen && (isInsertion || taken.suggestion.predictor !== "rename")) break;
		}
		if (!isFound) return undefined;
		const edits = diffLines(parts.region, document().text.slice(from, to));
		if (edits.length === 0) return undefined;
		const shown = digest(`${parts.before}\0${parts.region}\0${parts.after}\0${parts.cursor}`);
		if (sent !== undefined) this.options.resendCounter.sent(sent, shown);
		return edits;
	}

	/**
	 * Returns why the configuration suppresses suggestions here, if it does. All requests count as automatic. Clients
	 * apply their own delay and don't report outcomes, so the settings for delays and outcomes have no effect. A
	 * configured snooze starts with the server.
	 */
	private noSuggestionReason(settings: Settings, document: Document, cursor: number): NoSuggestion | undefined {
		if (!settings.isEnabled) return "disabled";
		const isSnoozed = this.options.now() - this.options.startedAtMs < settings.snoozeMinutes * MINUTE_MS;
		const scene = { trigger: "automatic", document, cursor, workspace: this.workspace } as const;
		return quietReason(scene, settings, { isSnoozed, ignoredInARow: 0 });
	}

	/**
	 * Returns the configured model and settings. Rereads the configuration periodically, because a server can run for
	 * days.
	 */
	private choose(): Promise<ModelChoice> | undefined {
		const { models, now } = this.options;
		if (models === undefined) return undefined;
		if (this.chosen === undefined || now() - this.chosen.atMs > CHOICE_MS_MAX) {
			this.chosen = { choice: models.in(this.workspace), atMs: now() };
		}
		return this.chosen.choice;
	}

	private get workspace(): Workspace {
		return { uri: this.options.folder, folders: [], repository: undefined };
	}

	/** Opens a prompt's files in a session and replays the edits. */
	private open(
		{ files, edits }: Fragments,
		{ mayAskModel }: SuggestCall,
		choice: Promise<ModelChoice> | undefined,
	): OpenScene {
		const { folder, observer, report } = this.options;
		let nowMs = 0;
		const session = new NextEditSession({
			...{ kinds: new Set(), workspace: this.workspace, predict, now: () => nowMs },
			observer: observer && onlyFirst(observer),
			models: mayAskModel && choice !== undefined ? new SessionModels(choice, predict, report) : undefined,
		});
		const uris = urisOf(files, folder);
		const own = uris.get(files[0]?.path ?? "") ?? folder;
		// Insertion prompts may have no path. The other files are usually in the same language.
		const known = files.map(({ path }) => languageOf(path)).find((language) => language !== "plaintext") ?? "plaintext";
		for (const { path, text } of files) {
			const uri = uris.get(path);
			if (uri === undefined) continue;
			const languageId = path.includes(".") ? languageOf(path) : known;
			session.didOpen({ uri, languageId, version: 0, text: Text.of(text) });
		}
		for (const { path, step, from, to, insert } of edits) {
			nowMs = (step + 1) * STEP_MS;
			const held = session.held(uris.get(path) ?? "")?.document;
			if (held === undefined) continue;
			const change = Change.of([{ from, to, insert }], held.text.length);
			session.didChange({ uri: held.uri, version: held.version + 1, change, isWhole: false });
		}
		const document = () => session.held(own)?.document as Document;
		session.didFocus(document().uri, () => ({ cursor: 0, visible: undefined }));
		const others = () => session.documents().flatMap(({ document: one }) => (sameUri(one.uri, own) ? [] : [one]));
		return { session, document, others };
	}
}

interface OpenScene {
	readonly session: NextEditSession;
	/** Returns the current version of the prompt's document. */
	document(): Document;
	others(): readonly Document[];
}

interface Span {
	readonly from: number;
	readonly to: number;
}

/** Returns the configured settings, or the defaults if reading them fails. Requests to a model report that error. */
async function settingsIn(choice: Promise<ModelChoice> | undefined): Promise<Settings> {
	const read = await choice?.catch(() => undefined);
	return { ...DEFAULT_SETTINGS, ...read?.settings };
}

/**
 * Reports only the first request in a session, because later requests look for more edits that belong to the same
 * suggestion.
 */
function onlyFirst(observer: RequestObserver): RequestObserver {
	let isFirst = true;
	return {
		begin: (workspace) => {
			if (!isFirst) return { watch: () => {}, recordResponse: () => {}, recordOutcome: () => {} };
			isFirst = false;
			return observer.begin(workspace);
		},
	};
}

/** Applies a suggestion to the session's document, without marking it as accepted. */
function play(
	session: NextEditSession,
	{ suggestion, document }: { readonly suggestion: Suggestion; readonly document: Document },
) {
	const held = session.held(document.uri)?.document;
	if (suggestion.kind !== "edit" || held === undefined) return undefined;
	const change = Change.of(suggestion.edits, held.text.length);
	session.didChange({ uri: held.uri, version: held.version + 1, change, isWhole: false });
	return change;
}

/** Completes text at the cursor, based on other lines. */
function completionAt(document: Document, others: readonly Document[], cursor: number): RegionEdit[] {
	const found = complete({ ...sceneOf(document, History.empty, cursor), neighbours: others }, Memory.empty);
	return "silence" in found ? [] : [{ from: 0, to: 0, insert: found.insert }];
}

/**
 * Estimates the cursor position in a region if the prompt does not mark it: after the newest edit if that is inside the
 * region, otherwise in the middle.
 */
function cursorIn({ files, edits }: Fragments, { from, to }: Span): number {
	const last = edits.at(-1);
	if (last !== undefined && last.path === files[0]?.path) {
		// Skip the hunk's context lines.
		const { old, insert } = last;
		let same = 0;
		while (same < Math.min(old.length, insert.length) && old.at(-1 - same) === insert.at(-1 - same)) same++;
		const at = last.from + insert.length - same;
		if (at >= from && at <= to) return at - from;
	}
	return Math.floor((to - from) / 2);
}

/** Returns the URIs of files by path. If several paths refer to the same file, only the first one gets a URI. */
function urisOf(files: Fragments["files"], folder: string): ReadonlyMap<string, string> {
	const taken = new Set<string>();
	const uris = new Map<string, string>();
	for (const { path } of files) {
		const uri = uriOf(folder, path);
		if (taken.has(uriKey(uri))) continue;
		taken.add(uriKey(uri));
		uris.set(path, uri);
	}
	return uris;
}

/** Returns the URI of a file in the folder. Zed's paths begin with the folder's name, which is removed. */
function uriOf(folder: string, path: string): string {
	const names = path
		.replace(/\p{Surrogate}/gu, "_")
		.split(/[/\\]/)
		.filter((name) => name !== "" && name !== "." && name !== "..");
	const root = folder.replace(/\/+$/, "");
	const own = decodeURIComponent(root.slice(root.lastIndexOf("/") + 1));
	const below = names.length > 1 && names[0] === own ? names.slice(1) : names;
	return [root, ...below.map(encodeURIComponent)].join("/");
}

/** Identifies a suggestion for `ResendCounter`: by its lines or, for a rename, by its rule. */
function sendingOf(suggestion: Suggestion, { text }: Document, file: string): SentSuggestion {
	if (suggestion.kind !== "edit") return { file, suggestion: suggestion.key, written: 0 };
	const change = Change.of(suggestion.edits, text.length);
	const after = change.apply(text);
	const line = after.line(after.lineAt(change.map(suggestion.edits[0]?.from ?? 0, "before")));
	const written = text.toString().split(line).length - 1;
	if (suggestion.predictor === "rename") return { file, suggestion: digest(suggestion.rules[0] ?? ""), written };
	const lines = suggestion.edits.map(({ from, to, insert }) => {
		const start = text.lineStart(text.lineAt(from));
		return `${text.slice(start, text.lineEnd(text.lineAt(to)))}\0${from - start}\0${insert}`;
	});
	return { file, suggestion: digest(lines.join("\0")), written: line === "" ? 0 : written };
}

function digest(text: string): string {
	return createHash("sha256").update(text).digest("base64");
}
