import { Change, diffTokens, type Edit, type Text } from "@segue/text";

/**
 * The first word, or the first line, of what a suggestion would write: edits that are the beginning of its own, so that
 * the rest follows from them as if the user had typed them.
 */
export function firstPart(edits: readonly Edit[], by: "word" | "line", text: Text): readonly Edit[] {
	const [first, ...others] = edits.flatMap((edit) => refine(edit, text));
	if (first === undefined) return [];
	if (by === "word") return [beginning(first, WORD)];
	const line = text.lineAt(first.from);
	const part: Edit[] = [];
	for (const edit of [first, ...others]) {
		if (text.lineAt(edit.from) !== line) break;
		const start = beginning(edit, LINE);
		part.push(start);
		if (start.insert !== edit.insert || text.lineAt(edit.to) !== line) break;
	}
	return part;
}

// Space before a word belongs to it, and so does a line end before a line: otherwise the first Tab would only make room.
const WORD = /^\s*(?:[\p{L}\p{N}\p{M}_$]+|[^\p{L}\p{N}\p{M}_$\s]+)?/u;
const LINE = /^(?:\r\n|\n|\r)?[^\r\n]*/;

/** The same edit as the smallest ones that make it, token by token; one that only inserts is as small as can be. */
function refine(edit: Edit, text: Text): Edit[] {
	if (edit.from === edit.to || edit.insert === "") return [edit];
	const fine = diffTokens(text.slice(edit.from, edit.to), edit.insert);
	return Change.of(
		fine.map(({ from, to, insert }) => ({ from: edit.from + from, to: edit.from + to, insert })),
		text.length,
	).edits.slice();
}

function beginning(edit: Edit, pattern: RegExp): Edit {
	const insert = pattern.exec(edit.insert)?.[0] ?? "";
	return { ...edit, insert: insert === "" ? edit.insert : insert };
}
