import { contentLength, type Decoder, type FrameSink, type Framing, lines, type PeerRole } from "@segue/rpc";

// As large as anything that is read elsewhere; a larger message passes through all the same, and is noted as such.
const MESSAGE_BYTES_MAX = 32 * 2 ** 20;
// Longer than any header. What is longer and has no end is a line that goes on.
const FIRST_LINE_BYTES_MAX = 4096;

/** A message that went by, as soon as it was whole. */
type ObservedListener = (from: PeerRole, text: string, atMs: number) => void;

/**
 * Reads along in one direction of a connection. Which framing it is, the first line tells that is a header or begins like a
 * message; lines before that, as a program prints when it starts, are noted as they are.
 */
export class StreamObserver {
	private decoder: Decoder | undefined;
	/** What came while the framing is not known. */
	private early = Buffer.alloc(0);
	private atMs = 0;

	constructor(
		private readonly from: PeerRole,
		private readonly observed: ObservedListener,
	) {}

	/** `atMs` is when the bytes came. */
	push(chunk: Uint8Array, atMs: number): void {
		this.atMs = atMs;
		if (this.decoder !== undefined) {
			this.decoder.push(chunk);
			return;
		}
		this.early = Buffer.concat([this.early, chunk]);
		for (;;) {
			const framing = framingOf(this.early);
			if (framing === "unknown") {
				// White space alone tells nothing, and is not kept.
				if (this.early.every((byte) => byte <= SPACE)) this.early = Buffer.alloc(0);
				return;
			}
			if (framing !== "neither") {
				this.begin(framing);
				return;
			}
			const end = this.early.indexOf(LF) + 1;
			this.sink.message(this.early.toString("utf8", 0, end));
			this.early = this.early.subarray(end);
		}
	}

	end(): void {
		// A line without an end is one all the same.
		if (this.decoder === undefined) this.begin(lines);
		this.decoder?.end();
	}

	private begin(framing: Framing): void {
		this.decoder = framing.decoder(this.sink, MESSAGE_BYTES_MAX);
		this.decoder.push(this.early);
		this.early = Buffer.alloc(0);
	}

	private readonly sink: FrameSink = {
		message: (text) => {
			// Between the messages may be empty lines.
			const message = text.trim();
			if (message !== "") this.observed(this.from, message, this.atMs);
		},
		unreadable: ({ message }) => this.observed(this.from, `(${message})`, this.atMs),
	};
}

const LF = 10;
const SPACE = 32;
// The first of the three bytes of a byte order mark, which some shells put before what they write.
const MARK = 0xef;
const HEADER = /^content-(?:length|type)\s*:/i;
/** An object, or several: a bracket alone may begin a line of a log. */
const MESSAGE = /^(?:\{|\[\s*[{\]])/;

/** What the beginning of a stream is; `neither` for a line that tells nothing, `unknown` where more has to come. */
function framingOf(bytes: Buffer): Framing | "neither" | "unknown" {
	const first = bytes.findIndex((byte) => byte > SPACE);
	if (first < 0) return "unknown";
	const end = bytes.indexOf(LF, first);
	const line = bytes.toString("latin1", first, Math.min(end < 0 ? bytes.length : end, first + FIRST_LINE_BYTES_MAX));
	if (bytes[first] === MARK || MESSAGE.test(line)) return lines;
	if (end < 0) return line.length < FIRST_LINE_BYTES_MAX ? "unknown" : lines;
	return HEADER.test(line) ? contentLength : "neither";
}
