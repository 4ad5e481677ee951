/**
 * The quiet controls: settings by which a session keeps back suggestions that it could make. Whether a request is kept quiet is a
 * function of the request, the settings and the few facts in `QuietState`, so that each of the controls can only add to the silence.
 */

import { partAt, type Scene } from "@segue/predict";
import { type Document, Glob, GlobError, namesBelow, Path, type StartTimer, StepBudget, startTimer } from "@segue/text";
import type { Settings } from "./settings.js";

/** Controls that hold for a document, whoever asks. */
export type OffReason = "off-in-language" | "off-in-file";

export type QuietReason = OffReason | "only-when-asked" | "snoozed" | "gave-up" | "off-in-comments-and-strings";

interface QuietState {
	readonly isSnoozed: boolean;
	/** Suggestions in a row that the user ignored or rejected. */
	readonly ignoredInARow: number;
}

/** The first control that keeps a request quiet. Those that a manual request cannot override come first. */
export function quietReason(
	{ trigger, document, cursor, workspace }: Pick<Scene, "trigger" | "document" | "cursor" | "workspace">,
	settings: Omit<Settings, "model">,
	{ isSnoozed, ignoredInARow }: QuietState,
): QuietReason | undefined {
	const off = offReason(document, settings, workspace);
	if (off !== undefined) return off;
	if (trigger === "manual") return undefined;
	if (settings.onlyWhenAsked) return "only-when-asked";
	if (isSnoozed) return "snoozed";
	if (settings.giveUpAfterIgnored > 0 && ignoredInARow >= settings.giveUpAfterIgnored) return "gave-up";
	if (settings.offInCommentsAndStrings && partAt(document, cursor) !== "code") return "off-in-comments-and-strings";
	return undefined;
}

/** The control that turns suggestions in a document off. */
export function offReason(
	{ uri, languageId }: Pick<Document, "uri" | "languageId">,
	{ offInLanguages, offInFiles }: Pick<Settings, "offInLanguages" | "offInFiles">,
	workspace: Scene["workspace"],
): OffReason | undefined {
	if (isListed(languageId, offInLanguages)) return "off-in-language";
	return matchesFile(uri, offInFiles, workspace) ? "off-in-file" : undefined;
}

/** Counts the suggestions in a row that the user ignored or rejected. */
export class IgnoredCount {
	private count = 0;
	private lastAnswer: number | undefined;

	get inARow(): number {
		return this.count;
	}

	/** An editor shows one suggestion of an answer at a time, so several of one answer count as one. */
	ignored(answer: number): void {
		if (answer === this.lastAnswer) return;
		this.lastAnswer = answer;
		this.count++;
	}

	reset(): void {
		this.count = 0;
		this.lastAnswer = undefined;
	}
}

/** How a pause ended: the user rested, or a document changed before. */
export type PauseEnd = "rested" | "changed";

/** Has automatic requests wait until the user stops typing. */
export class TypingPause {
	private typedAtMs = Number.NEGATIVE_INFINITY;
	private readonly waiting = new Set<() => void>();

	constructor(
		private readonly now: () => number,
		private readonly after: StartTimer = startTimer,
	) {}

	/** A document changed, so the requests that wait are about an older text. An accepted suggestion is not typed. */
	changed({ isTyped }: { readonly isTyped: boolean }): void {
		if (isTyped) this.typedAtMs = this.now();
		for (const end of this.waiting) end();
	}

	/** Resolves this long after the user typed, or after `sinceMs` if that is later; undefined where that is past. */
	for(delayMs: number, sinceMs: number, call: { readonly signal: AbortSignal }): Promise<PauseEnd> | undefined {
		const leftMs = Math.max(this.typedAtMs, sinceMs) + delayMs - this.now();
		if (leftMs <= 0) return undefined;
		const { signal } = call;
		return new Promise((resolve) => {
			const end = (how: PauseEnd) => {
				cancel();
				this.waiting.delete(changed);
				resolve(how);
			};
			const changed = () => end("changed");
			const cancel = this.after(leftMs, () => end("rested"));
			this.waiting.add(changed);
			if (signal.aborted) changed();
			else signal.addEventListener("abort", changed, { once: true });
		});
	}
}

function isListed(languageId: string, languages: readonly string[]): boolean {
	if (languages.length === 0) return false;
	const id = languageId.toLowerCase();
	return languages.some((one) => one.toLowerCase() === id);
}

// As many patterns as there may be take a tenth of it on a usual path. All of it takes some 20 ms, which may be at every keystroke.
const MATCH_STEPS_MAX = 200_000;

/**
 * Whether one of some globs matches a document. A glob without a slash is matched with the file's name, one that begins with a slash
 * or a drive letter with the whole path, and any other with the path from the workspace folder, or the whole path of a file outside.
 */
export function matchesFile(uri: string, patterns: readonly string[], workspace: Scene["workspace"]): boolean {
	if (patterns.length === 0) return false;
	const names = Path.of(uri)?.names ?? [uri.replace(/^[a-z][a-z\d+.-]*:/i, "")];
	const whole = names.join("/");
	const inFolder = pathInFolder(uri, workspace) ?? whole;
	const budget = new StepBudget(MATCH_STEPS_MAX);
	try {
		return globsOf(patterns).some(({ glob, target }) => {
			const path = target === "name" ? (names.at(-1) ?? "") : target === "whole" ? whole : inFolder;
			return glob.matches(path, budget);
		});
	} catch (error) {
		// Patterns that take too long to match may match. A project could have written them, and quiet does no harm.
		if (error instanceof GlobError) return true;
		throw error;
	}
}

/** The path from the innermost folder of the workspace that a document is in. */
function pathInFolder(uri: string, { uri: root, folders }: Scene["workspace"]): string | undefined {
	const tops = [...folders.map((folder) => folder.uri), ...(root === undefined ? [] : [root])];
	const paths = tops.flatMap((top) => {
		const names = namesBelow(top, uri);
		return names === undefined || names.length === 0 ? [] : [names];
	});
	return paths.toSorted((a, b) => a.length - b.length)[0]?.join("/");
}

interface FileGlob {
	readonly glob: Glob;
	readonly target: "name" | "whole" | "in folder";
}

/** By the array in the settings, which is replaced as a whole. Every keystroke may be a request. */
const COMPILED = new WeakMap<readonly string[], readonly FileGlob[]>();

function globsOf(patterns: readonly string[]): readonly FileGlob[] {
	let globs = COMPILED.get(patterns);
	if (globs === undefined) {
		globs = patterns.map((pattern): FileGlob => {
			const [, bangs = "", written = ""] = /^((?:!(?!\())*)(.*)$/s.exec(pattern) ?? [];
			const root = /^(?:\/|[a-z]:\/)/i.exec(written)?.[0];
			const target = !written.includes("/") ? "name" : root !== undefined ? "whole" : "in folder";
			// Paths are without the first slash, and have drive letters in lower case.
			const path = (root === "/" ? "" : (root ?? "").toLowerCase()) + written.slice(root?.length ?? 0);
			return { glob: Glob.parse(bangs + path), target };
		});
		COMPILED.set(patterns, globs);
	}
	return globs;
}
