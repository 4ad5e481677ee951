/**
 * The quiet controls: settings that suppress suggestions. Whether a request is suppressed depends only on the request,
 * the settings and `QuietState`, so adding a control never allows more suggestions.
 */

import { partAt, type Scene } from "@segue/predict";
import { type Document, Glob, GlobError, namesBelow, Path, type StartTimer, StepBudget, startTimer } from "@segue/text";
import type { Settings } from "./settings.js";

/** Controls that apply to a document even for manual requests. */
export type OffReason = "off-in-language" | "off-in-file";

export type QuietReason = OffReason | "only-when-asked" | "snoozed" | "gave-up" | "off-in-comments-and-strings";

interface QuietState {
	readonly isSnoozed: boolean;
	/** The number of consecutive suggestions that the user ignored or rejected. */
	readonly ignoredInARow: number;
}

/** Returns the first control that suppresses a request. Controls that apply to manual requests come first. */
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

/** Returns the control that turns off suggestions in a document. */
export function offReason(
	{ uri, languageId }: Pick<Document, "uri" | "languageId">,
	{ offInLanguages, offInFiles }: Pick<Settings, "offInLanguages" | "offInFiles">,
	workspace: Scene["workspace"],
): OffReason | undefined {
	if (isListed(languageId, offInLanguages)) return "off-in-language";
	return matchesFile(uri, offInFiles, workspace) ? "off-in-file" : undefined;
}

/** Counts consecutive suggestions that the user ignored or rejected. */
export class IgnoredCount {
	private count = 0;
	private lastAnswer: number | undefined;

	get inARow(): number {
		return this.count;
	}

	/** Several suggestions from one response count once, because an editor shows only one of them at a time. */
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

/** How a pause ended: the user stopped typing, or a document changed first. */
export type PauseEnd = "rested" | "changed";

/** Delays automatic requests until the user stops typing. */
export class TypingPause {
	private typedAtMs = Number.NEGATIVE_INFINITY;
	private readonly waiting = new Set<() => void>();

	constructor(
		private readonly now: () => number,
		private readonly after: StartTimer = startTimer,
	) {}

	/**
	 * Must be called when a document has changed. Ends waiting requests, which are outdated. An accepted suggestion
	 * does not count as typing.
	 */
	changed({ isTyped }: { readonly isTyped: boolean }): void {
		if (isTyped) this.typedAtMs = this.now();
		for (const end of this.waiting) end();
	}

	/**
	 * Resolves `delayMs` after the user's last change or `sinceMs`, whichever is later. Undefined if that time has
	 * already passed.
	 */
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

// Typical patterns use a tenth of this, even if there are as many as allowed. Using the whole budget takes about 20 ms,
// possibly on every keystroke.
const MATCH_STEPS_MAX = 200_000;

/**
 * Whether one of the globs matches a document. A glob without a slash is matched against the file name, one that starts
 * with a slash or a drive letter against the whole path, and any other against the path relative to the workspace
 * folder, or the whole path of a file outside the workspace.
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
		// Treat patterns that are too slow as a match. They may come from a project, and suppressing suggestions does no
		// harm.
		if (error instanceof GlobError) return true;
		throw error;
	}
}

/** The path of a document relative to the innermost workspace folder that contains it. */
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

/**
 * Caches compiled globs, because every keystroke may cause a request. The key is the array in the settings, which is
 * immutable.
 */
const COMPILED = new WeakMap<readonly string[], readonly FileGlob[]>();

function globsOf(patterns: readonly string[]): readonly FileGlob[] {
	let globs = COMPILED.get(patterns);
	if (globs === undefined) {
		globs = patterns.map((pattern): FileGlob => {
			const [, bangs = "", written = ""] = /^((?:!(?!\())*)(.*)$/s.exec(pattern) ?? [];
			const root = /^(?:\/|[a-z]:\/)/i.exec(written)?.[0];
			const target = !written.includes("/") ? "name" : root !== undefined ? "whole" : "in folder";
			// Paths have no leading slash and lower-case drive letters.
			const path = (root === "/" ? "" : (root ?? "").toLowerCase()) + written.slice(root?.length ?? 0);
			return { glob: Glob.parse(bangs + path), target };
		});
		COMPILED.set(patterns, globs);
	}
	return globs;
}
