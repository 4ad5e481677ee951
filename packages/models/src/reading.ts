import type { Framing } from "./framing.js";
import type { Gathering } from "./gathering.js";

/** How one answer becomes events: its bytes become data, and what the data says is gathered. */
export interface Incoming {
	readonly framing: Framing;
	readonly reading: Reading;
	/** Where the reading puts what it reads. */
	readonly gathering: Gathering;
}

/** An answer that is being read off one wire. What it says goes into a gathering. */
export interface Reading {
	/** The provider has said that no more will come. */
	readonly isWhole: boolean;
	/**
	 * Reads the data of one event, or of a whole answer in one piece. Returns the error that the provider sent in place of an answer, as it sent it. Throws a
	 * SyntaxError for what is no JSON, or that of another API.
	 *
	 * Chunks are not checked with schemas: that alone costs more than all else that is done with a chunk.
	 */
	read(data: string, isInOnePiece: boolean): unknown;
	/** The stream is over, or broke off. Nothing more is read. */
	close(): void;
}

/** A value that should be text. */
export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** A value that should be a number. */
export function numberOf(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}
