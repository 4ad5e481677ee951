import { highlightCode } from "@lezer/highlight";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { loadLazily } from "../lazy-load.js";
import { Icon } from "../widgets/icon.js";
import { CLASSES, loadSyntaxes, needsSyntax, parserOf } from "../workbench/colouring.js";
import { languageIdOf } from "../workbench/language.js";

// About 600 lines. An answer is coloured again in every frame in which it grows.
const COLOURED_CHARS_MAX = 20_000;

// Long enough for users to notice.
const COPIED_MS = 2000;

/** A block of code in an answer, coloured as in the editor, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
	const copied = useSignal("");
	const language = languageOf(label);
	const loads = useSignal(0);
	// The language may change while the answer arrives, because a fence can arrive before its label.
	useEffect(() => {
		if (!needsSyntax(language)) return;
		loadLazily(loadSyntaxes).then(
			() => loads.value++,
			() => {},
		);
	}, [language]);
	const coloured = useMemo(() => colour(text, language), [text, language, loads.value]);
	const copy = async () => {
		copied.value = await copyText(text);
		setTimeout(() => (copied.value = ""), COPIED_MS);
	};
	return (
		<figure class="code-block">
			<figcaption>
				<span>{label || "text"}</span>
				<span role="status">{copied.value}</span>
				<button type="button" class="quiet" aria-label="Copy code" title="Copy" onClick={() => void copy()}>
					<Icon name={copied.value === "Copied" ? "check" : "copy"} />
				</button>
			</figcaption>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
			<pre tabIndex={0}>
				<code>{coloured}</code>
			</pre>
		</figure>
	);
}

/** Copies the text and returns a message for the user. */
export async function copyText(text: string): Promise<"Copied" | "Copying failed"> {
	try {
		// Browsers have no clipboard on pages from http addresses other than localhost, so this can throw.
		await navigator.clipboard.writeText(text);
		return "Copied";
	} catch {
		return "Copying failed";
	}
}

/** Models write the name of a language (`python`), a file extension (`py`) or a path (`src/a.py`). */
function languageOf(label: string): string {
	const word = label.toLowerCase().split(/[\s,{]/)[0] ?? "";
	const isId = parserOf(word) !== undefined || needsSyntax(word);
	return isId ? word : (NAMES.get(word) ?? languageIdOf(word));
}

const NAMES = new Map([
	["golang", "go"],
	["node", "javascript"],
	["python3", "python"],
]);

function colour(text: string, languageId: string): readonly (string | JSX.Element)[] {
	const parser = text.length > COLOURED_CHARS_MAX ? undefined : parserOf(languageId);
	if (parser === undefined) return [text];
	const parts: (string | JSX.Element)[] = [];
	highlightCode(
		text,
		parser.parse(text),
		CLASSES,
		(code, classes) => {
			parts.push(
				classes === "" ? (
					code
				) : (
					<span key={parts.length} class={classes}>
						{code}
					</span>
				),
			);
		},
		() => parts.push("\n"),
	);
	return parts;
}
