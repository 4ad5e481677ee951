import { Change, type Edit, Text } from "@segue/text";

// A picture is a file and its edits, drawn as text with these marks:
//
//     const ‹cnt→count▮› = 0      an edit of "cnt" to "count" with the cursor after it
//     log(‹→"now", ›cnt)          an edit that inserts
//     log(cnt)‹ // old→›          an edit that deletes
//     let «total▮», «▮rest»       selections, made forwards and backwards
//     sum = totl
//           ^^^^ error: unknown   a diagnostic for the text above the carets; also warning, info, hint
//     ⇥return··                   a tab, and spaces at the end of a line
//     one␍                        a line that ends in \r\n; a ␍ inside a line is a lone \r
//
// (A real picture has one cursor or one selection.) Everything else is the file, byte for byte: its lines are the drawn
// lines joined by \n, so a final newline shows as an empty last line. Edits may span lines. The cursor, the selection
// and diagnostics refer to the text after the edits; a caret past the end of a line is an empty range there.
//
// Text that would be read as a mark is drawn in brackets: ⟨▮⟩ is the character ▮, and ⟨⟨⟩ is ⟨ itself. The character →
// needs brackets only on the old side of an edit, · only at the end of a line, and - or ^ only at the start of a line
// that looks like the heading of a pane ("--- user") or like a diagnostic.
//
// There is exactly one way to draw a picture; reading rejects all others. A cursor that touches an edit is drawn on the
// edit's new side, and the marks of a selection are drawn directly around the selected text.

/** A file, its edits, and the editor's state after them. Offsets never split a character. */
export interface Picture {
	/** The file before the edits. */
	readonly before: string;
	/** Offsets in `before`, normalized by `Change.of`. */
	readonly edits: readonly Edit[];
	/** Offsets in the text after the edits. */
	readonly selection: Selection | undefined;
	/** Sorted by the line they start on, with offsets in the text after the edits. */
	readonly diagnostics: readonly PictureDiagnostic[];
}

/** A selection from its start to the cursor. For a cursor without a selection, both offsets are the same. */
export interface Selection {
	readonly anchor: number;
	readonly head: number;
}

export interface PictureDiagnostic {
	readonly from: number;
	readonly to: number;
	readonly severity: "error" | "warning" | "info" | "hint";
	readonly message: string;
}

/** Returns the text after the edits of a picture. */
export function afterOf(picture: Picture): string {
	return Change.of(picture.edits, picture.before.length).apply(Text.of(picture.before)).toString();
}

/**
 * Draws a picture. Only the first line of a diagnostic's range and of its message is drawn, at least one column wide.
 * Throws a RangeError for offsets outside the text.
 */
export function drawPicture(picture: Picture): string {
	const { before, edits, selection, diagnostics } = picture;
	const cells = cellsOf(before, Change.of(edits, before.length).edits);
	if (selection !== undefined) placeSelection(cells, selection);
	const rows = rowsOf(cells);
	const drawn = rows.map((row) => [drawRow(row)]);
	for (const diagnostic of diagnostics) {
		checkRange(cells, diagnostic.from, diagnostic.to);
		const at = rows.findLastIndex((row) => indexAt(row, diagnostic.from) >= 0);
		drawn[at]?.push(drawDiagnostic(rows[at] ?? [], diagnostic));
	}
	return drawn.flat().join("\n");
}

/** Draws text without edits. */
export function drawText(text: string): string {
	return drawPicture({ before: text, edits: [], selection: undefined, diagnostics: [] });
}

/** Reads a picture. Throws an Error that quotes the invalid line or shows the correct drawing. */
export function readPicture(drawn: string): Picture {
	const { rows, notes } = readLines(drawn);
	const { before, edits, marks } = readEdits(rows);
	const picture = { before, edits, selection: readSelection(marks), diagnostics: notes.map(readDiagnostic) };
	checkDrawn(drawn, drawPicture(picture));
	return picture;
}

/** If `drawn` is not the correct drawing, throws an Error that shows the correct one. */
export function checkDrawn(drawn: string, right: string): void {
	if (drawn === right) return;
	const lines = drawn.split("\n");
	const rightLines = right.split("\n");
	const at = lines.findIndex((line, i) => line !== rightLines[i]);
	const wrong = at < 0 ? "" : `\nLine ${at + 1} was ${JSON.stringify(lines[at])}.`;
	throw new Error(`It should be drawn like this:\n${right}${wrong}`);
}

/**
 * One symbol in a drawing. The end of a line and the end of the file are also cells: they show nothing but can have a
 * caret below them.
 */
interface Cell {
	/** The symbol in the drawing. */
	shown: string;
	/** The character that the symbol represents; "" for the end of the file, undefined for a mark. */
	readonly text: string | undefined;
	/** Its offset in the text after the edits; undefined for marks and deleted text. */
	at: number | undefined;
}

function cellsOf(before: string, edits: readonly Edit[]): Cell[] {
	const cells: Cell[] = [];
	let at = 0;
	const write = (text: string) => {
		for (const char of text) {
			cells.push({ shown: show(char), text: char, at });
			at += char.length;
		}
	};
	let kept = 0;
	for (const { from, to, insert } of edits) {
		write(before.slice(kept, from));
		cells.push(markOf("‹"));
		for (const char of before.slice(from, to)) {
			cells.push({ shown: char === "→" ? "⟨→⟩" : show(char), text: char, at: undefined });
		}
		cells.push(markOf("→"));
		write(insert);
		cells.push(markOf("›"));
		kept = to;
	}
	write(before.slice(kept));
	cells.push({ shown: "", text: "", at });
	return cells;
}

const MARKS = "▮«»‹›";
const SIGNS: ReadonlyMap<string, string> = new Map([
	["\t", "⇥"],
	["\r", "␍"],
]);
const CHARACTERS: ReadonlyMap<string, string> = new Map([...SIGNS].map(([char, sign]) => [sign, char]));

function show(char: string): string {
	if (char === "\n") return "";
	if (char === "⟨" || MARKS.includes(char) || CHARACTERS.has(char)) return `⟨${char}⟩`;
	return SIGNS.get(char) ?? char;
}

function markOf(shown: string): Cell {
	return { shown, text: undefined, at: undefined };
}

function placeSelection(cells: Cell[], { anchor, head }: Selection): void {
	const from = Math.min(anchor, head);
	const to = Math.max(anchor, head);
	checkRange(cells, from, to);
	if (from === to) placeCursor(cells, head);
	else {
		cells.splice(indexAt(cells, to - 1) + 1, 0, ...Array.from(head === to ? "▮»" : "»", markOf));
		cells.splice(indexAt(cells, from), 0, ...Array.from(head === from ? "«▮" : "«", markOf));
	}
}

/** Only marks and deleted text can be between the two characters next to the cursor. */
function placeCursor(cells: Cell[], offset: number): void {
	const start = indexAt(cells, offset - 1) + 1;
	const between = cells.slice(start, indexAt(cells, offset));
	const isInNewSide = between[0]?.shown === "›";
	const arrow = between.findIndex((cell) => cell.shown === "→");
	cells.splice(isInNewSide ? start : start + arrow + 1, 0, markOf("▮"));
}

/**
 * Returns the index of the character at an offset in the text after the edits, or -1 if all characters are after it.
 */
function indexAt(cells: readonly Cell[], offset: number): number {
	return cells.findLastIndex((cell) => cell.at !== undefined && cell.at <= offset);
}

function checkRange(cells: readonly Cell[], from: number, to: number): void {
	const length = cells.findLast((cell) => cell.at !== undefined)?.at ?? 0;
	if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= length)) {
		throw new RangeError(`${from}–${to} is not in a text of length ${length}`);
	}
}

function rowsOf(cells: readonly Cell[]): Cell[][] {
	let row: Cell[] = [];
	const rows = [row];
	for (const cell of cells) {
		row.push(cell);
		if (cell.text === "\n") {
			row = [];
			rows.push(row);
		}
	}
	return rows;
}

/** The start of a pane's heading. No line in a picture starts like this. */
export const HEADING = /^--- /;
const DIAGNOSTIC = /^( *)(\^+) (error|warning|info|hint)(?:: (.+))?$/s;

/**
 * How a character is drawn depends on the whole line: it may have trailing spaces, or look like a heading or a
 * diagnostic.
 */
function drawRow(row: readonly Cell[]): string {
	drawEnd(row);
	const line = lineOf(row);
	if (!HEADING.test(line) && !DIAGNOSTIC.test(line)) return line;
	const first = row.find((cell) => cell.shown !== " ");
	if (first !== undefined) first.shown = `⟨${first.text}⟩`;
	return lineOf(row);
}

function drawEnd(row: readonly Cell[]): void {
	for (const cell of row.toReversed()) {
		if (cell.shown === " ") cell.shown = "·";
		else if (cell.shown !== "") {
			if (cell.shown === "·") cell.shown = "⟨·⟩";
			return;
		}
	}
}

function lineOf(row: readonly Cell[]): string {
	return row.map((cell) => cell.shown).join("");
}

function drawDiagnostic(row: readonly Cell[], { from, to, severity, message }: PictureDiagnostic): string {
	const first = indexAt(row, from);
	const lineEnd = row.find((cell, i) => i >= first && isLineEnd(cell))?.at ?? to;
	const last = Math.max(first, indexAt(row, Math.min(to, lineEnd) - 1));
	const indent = " ".repeat(widthOf(row.slice(0, first)));
	const carets = "^".repeat(Math.max(widthOf(row.slice(first, last + 1)), 1));
	const summary = message.split(/[\r\n]/, 1).join("");
	const text = Array.from(summary, (char) => ({ shown: show(char), text: char, at: undefined }));
	drawEnd(text);
	return `${indent}${carets} ${severity}${summary === "" ? "" : `: ${lineOf(text)}`}`;
}

/**
 * Whether a line ends at this cell. A range stops before the line's end, so a caret below or after this cell marks an
 * empty range.
 */
function isLineEnd(cell: Cell): boolean {
	return cell.at !== undefined && (cell.text === "\r" || cell.text === "\n" || cell.text === "");
}

/**
 * Columns count code points. A wide character makes the carets look misaligned on a screen, but does not change their
 * meaning.
 */
function widthOf(cells: readonly Cell[]): number {
	return [...lineOf(cells)].length;
}

/** A drawn diagnostic and the line above it. */
interface Note {
	readonly row: readonly Cell[];
	readonly line: string;
}

function readLines(drawn: string): { rows: Cell[][]; notes: Note[] } {
	const rows: Cell[][] = [];
	const notes: Note[] = [];
	for (const line of drawn.split("\n")) {
		const row = rows.at(-1);
		if (!DIAGNOSTIC.test(line)) {
			row?.push({ shown: "", text: "\n", at: undefined });
			rows.push(readLine(line));
		} else if (row !== undefined) notes.push({ row, line });
		else throw new Error(`A diagnostic needs a line above it: ${line}`);
	}
	rows.at(-1)?.push({ shown: "", text: "", at: undefined });
	return { rows, notes };
}

function readLine(line: string): Cell[] {
	const end = line.replace(/·+$/, "").length;
	return Array.from(line.matchAll(/⟨(.)⟩|./gsu), ({ 0: shown, 1: escaped, index }) => {
		if (shown === "⟨") throw new Error(`The character ⟨ must be drawn as ⟨⟨⟩: ${line}`);
		if (MARKS.includes(shown)) return markOf(shown);
		const text = escaped ?? (index >= end ? " " : (CHARACTERS.get(shown) ?? shown));
		return { shown, text, at: undefined };
	});
}

/** A cursor or selection mark, with its offset in the text after the edits. */
interface Mark {
	readonly shown: string;
	readonly offset: number;
}

/** Also sets the offset of every cell in the text after the edits. */
function readEdits(rows: readonly Cell[][]): { before: string; edits: readonly Edit[]; marks: readonly Mark[] } {
	const edits: Edit[] = [];
	const marks: Mark[] = [];
	let before = "";
	let offset = 0;
	let side: "kept" | "old" | "new" = "kept";
	let edit = { from: 0, to: 0, insert: "" };
	for (const row of rows) {
		const wrong = (what: string) => new Error(`${what}: ${lineOf(row)}`);
		for (const cell of row) {
			if (cell.shown === "‹") {
				if (side !== "kept") throw wrong("An edit starts inside another");
				side = "old";
				edit = { from: before.length, to: before.length, insert: "" };
			} else if (cell.shown === "→" && side === "old") {
				side = "new";
				edit.to = before.length;
			} else if (cell.shown === "›") {
				if (side !== "new") throw wrong(side === "old" ? "An edit has no →" : "An edit ends without a start");
				side = "kept";
				edits.push(edit);
			} else if (cell.text === undefined) {
				if (side === "old") throw wrong(`${cell.shown} is inside deleted text`);
				marks.push({ shown: cell.shown, offset });
			} else {
				if (side === "new") edit.insert += cell.text;
				else before += cell.text;
				if (side === "old") continue;
				cell.at = offset;
				offset += cell.text.length;
			}
		}
	}
	if (side !== "kept") throw new Error(`An edit is not closed: ‹${before.slice(edit.from)}`);
	return { before, edits: Change.of(edits, before.length).edits, marks };
}

function readSelection(marks: readonly Mark[]): Selection | undefined {
	const drawn = marks.map((mark) => mark.shown).join("…");
	const [from = 0, head = from, to = head] = marks.map((mark) => mark.offset);
	if (drawn === "") return undefined;
	if (drawn === "▮") return { anchor: head, head };
	if (drawn === "«…▮…»" && head === to) return { anchor: from, head };
	if (drawn === "«…▮…»" && head === from) return { anchor: to, head };
	throw new Error(`A picture can have one cursor ▮ or one selection, «…▮» or «▮…», but this one has ${drawn}`);
}

function readDiagnostic({ row, line }: Note): PictureDiagnostic {
	const [, indent = "", carets = "", severity, message = ""] = DIAGNOSTIC.exec(line) ?? [];
	const start = indent.length;
	const end = start + carets.length;
	let next = 0;
	const under = row.filter((cell) => {
		const column = next;
		next += widthOf([cell]);
		return cell.at !== undefined && column < end && Math.max(next, column + 1) > start;
	});
	const from = under[0]?.at;
	if (from === undefined) throw new Error(`There is no text above the carets: ${line}`);
	const last = under.findLast((cell) => !isLineEnd(cell));
	return {
		from,
		to: last === undefined ? from : (last.at ?? from) + (last.text ?? "").length,
		severity: severity as PictureDiagnostic["severity"], // guaranteed by DIAGNOSTIC
		message: readLine(message)
			.map((cell) => cell.text ?? cell.shown)
			.join(""),
	};
}
