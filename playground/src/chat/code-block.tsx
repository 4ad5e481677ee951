import { highlightCode } from "@lezer/highlight";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { loadLazily } from "../lazy-load.js";
import { CopyButton } from "../widgets/command.js";
import { CLASSES, loadSyntaxes, needsSyntax, parserOf } from "../workbench/colouring.js";
import { languageIdOf } from "../workbench/language.js";

// About 600 lines. An answer is coloured again in every frame in which it grows.
const COLOURED_CHARS_MAX = 20_000;

/** A block of code in an answer, coloured as in the editor, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
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
	return (
		<figure class="code-block">
			<figcaption>
				<span>{label || "text"}</span>
				<CopyButton label="Copy code" text={text} />
			</figcaption>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
			<pre tabIndex={0}>
				<code>{coloured}</code>
			</pre>
		</figure>
	);
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
