import { stripVTControlCharacters } from "node:util";
import type { StartTimer } from "@segue/text";
import type { Paint } from "./colour.js";
import { cut, type Output, widthOf } from "./width.js";

/** After this long, a person begins to wonder whether anything happens. */
export const PROGRESS_DELAY_MS = 1000;
const FRAME_MS = 120;
const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
// A frame, the space before it, and the last cell, where some terminals wrap early.
const PROGRESS_CELLS_MIN = 3;
const TAB_CELLS = 8;
const COLUMNS_UNKNOWN = 80;

/**
 * Where a conversation is written. While it waits for something, and nothing was written for a second, it says so behind what
 * was written last; that is gone before anything else is written.
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
		/** Undefined where nothing can be erased again, and so no progress is shown. */
		private readonly after: StartTimer | undefined,
	) {}

	write(text: string): void {
		if (text === "") return;
		this.erase();
		this.output.write(text);
		this.column = columnAfter(text, this.column, this.columns);
		if (this.waitingFor !== undefined) this.wait(this.waitingFor);
	}

	/** From now on, until `rest`, something is waited for. */
	wait(waitingFor: () => string): void {
		this.rest();
		this.waitingFor = waitingFor;
		this.waitedMs = PROGRESS_DELAY_MS;
		this.callOff = this.after?.(PROGRESS_DELAY_MS, () => this.show()) ?? this.callOff;
	}

	/** Nothing is waited for any more, or a person. */
	rest(): void {
		this.callOff();
		this.waitingFor = undefined;
		this.erase();
	}

	private get columns(): number {
		return this.output.columns || COLUMNS_UNKNOWN;
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
		// Back by so many cells, and the rest of the line is empty.
		if (this.progressCells > 0) this.output.write(`\x1b[${this.progressCells}D\x1b[K`);
		this.progressCells = 0;
	}
}

/** In which column a terminal's cursor is after a text; as many as there are columns before it has wrapped. */
function columnAfter(text: string, before: number, columns: number): number {
	const lines = stripVTControlCharacters(text).split("\n");
	let column = lines.length === 1 ? before : 0;
	for (const [i, stretch] of (lines.at(-1) ?? "").split("\t").entries()) {
		if (i > 0) column = (Math.floor(column / TAB_CELLS) + 1) * TAB_CELLS;
		column += widthOf(stretch);
	}
	return column === 0 ? 0 : ((column - 1) % columns) + 1;
}
