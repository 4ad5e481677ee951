import type { PromptPart } from "./thread.js";

/** What fits on one line of a list, beside a date. */
const TITLE_CHARS_MAX = 60;

/** What a thread is called after its first prompt: its first words, on one line. */
export function titleOf(parts: readonly PromptPart[]): string {
	const text = parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
	const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
	const characters = [...line];
	if (characters.length > 0) {
		if (characters.length <= TITLE_CHARS_MAX) return line;
		const start = characters.slice(0, TITLE_CHARS_MAX).join("");
		const end = start.lastIndexOf(" ");
		return `${end > 0 ? start.slice(0, end) : start}…`;
	}
	const first = parts[0];
	if (first?.type === "file") return first.path.slice(first.path.lastIndexOf("/") + 1);
	return first?.type === "excerpt" ? first.label : "Image";
}

/** A title for the copy of a thread, with the first number that no other title has: "Fix the build (2)". */
export function forkTitle(title: string, others: readonly string[]): string {
	const base = (NUMBERED.exec(title)?.[1] ?? title) || "Chat";
	const taken = new Set(others);
	for (let number = 2; ; number++) {
		const numbered = `${base} (${number})`;
		if (!taken.has(numbered)) return numbered;
	}
}

const NUMBERED = /^(.*\S) \(\d{1,4}\)$/s;
