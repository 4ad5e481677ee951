import { stripVTControlCharacters } from "node:util";
import type { StartTimer } from "@segue/text";
import type { Paint } from "./colour.js";
import { COLUMNS_DEFAULT, columnsOf, cut, type Output, widthOf } from "./width.js";

/** Users notice if they wait longer than this without feedback. */
export const PROGRESS_DELAY_MS = 1000;
const FRAME_MS = 120;
const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
// A space, a frame, and an empty last column: some terminals wrap when a character is written there.
const PROGRESS_CELLS_MIN = 3;
const TAB_CELLS = 8;

/**
 * Writes a conversation. After a second of waiting without output, it shows progress after the last
 * text, and erases the progress before the next text.
 */
export class Screen {
	private column = 0;
	private progressCells = 0;
	private callOff = () => {};
	private waitingFor: (() => string) | undefined;
	private waitedMs = 0;

	constructor(
		private readonly output: Output,
		private readonly paint: Paint,
		/** Undefined if the output cannot erase text. Then no progress is shown. */
		private readonly after: StartTimer | undefined,
	) {}

	write(text: string): void {
		if (text === "") return;
		this.erase();
		this.output.write(text);
		this.column = columnAfter(text, this.column, this.columns);
		if (this.waitingFor !== undefined) this.wait(this.waitingFor);
	}

	/** Shows progress until `rest` is called. */
	wait(waitingFor: () => string): void {
		this.rest();
		this.waitingFor = waitingFor;
		this.waitedMs = PROGRESS_DELAY_MS;
		this.callOff = this.after?.(PROGRESS_DELAY_MS, () => this.show()) ?? this.callOff;
	}

	/** Stops showing progress, because the wait is over or the user is being asked a question. */
	rest(): void {
		this.callOff();
		this.waitingFor = undefined;
		this.erase();
	}

	private get columns(): number {
		return this.output.columns === undefined ? COLUMNS_DEFAULT : columnsOf(this.output);
	}

	private show(): void {
		const { column, columns } = this;
		this.erase();
		const room = columns - column - 1;
		if (room >= PROGRESS_CELLS_MIN) {
			const frame = FRAMES[Math.floor(this.waitedMs / FRAME_MS) % FRAMES.length];
			const seconds = Math.floor(this.waitedMs / 1000);
			const progress = cut(`${column === 0 ? "" : " "}${frame} ${this.waitingFor?.()} ${seconds} s`, room);
			this.output.write(this.paint.dim(progress));
			this.progressCells = widthOf(progress);
		}
		this.waitedMs += FRAME_MS;
		this.callOff = this.after?.(FRAME_MS, () => this.show()) ?? this.callOff;
	}

	private erase(): void {
		// Moves the cursor back and erases the rest of the line.
		if (this.progressCells > 0) this.output.write(`\x1b[${this.progressCells}D\x1b[K`);
		this.progressCells = 0;
	}
}

/** The cursor's column after the text. It equals `columns` at the end of a full line, before the terminal wraps. */
function columnAfter(text: string, before: number, columns: number): number {
	const lines = stripVTControlCharacters(text).split("\n");
	let column = lines.length === 1 ? before : 0;
	for (const [i, stretch] of (lines.at(-1) ?? "").split("\t").entries()) {
		if (i > 0) column = (Math.floor(column / TAB_CELLS) + 1) * TAB_CELLS;
		column += widthOf(stretch);
	}
	return column === 0 ? 0 : ((column - 1) % columns) + 1;
}
