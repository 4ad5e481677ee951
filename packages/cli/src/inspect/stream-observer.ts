import { contentLength, type Decoder, type FrameSink, type Framing, lines, type PeerRole } from "@segue/rpc";

// The same limit as for other connections. A larger message is relayed, but only a note about it is recorded.
const MESSAGE_BYTES_MAX = 32 * 2 ** 20;
// Longer than any header.
const FIRST_LINE_BYTES_MAX = 4096;

/** Called with each complete message. */
type ObservedListener = (from: PeerRole, text: string, atMs: number) => void;

/**
 * Decodes one direction of a connection. The first line that is a header or starts like a message determines the framing. Earlier
 * lines, which some programs print when they start, are reported as they are.
 */
export class StreamObserver {
	private decoder: Decoder | undefined;
	/** Bytes received before the framing is known. */
	private early = Buffer.alloc(0);
	private atMs = 0;

	constructor(
		private readonly from: PeerRole,
		private readonly observed: ObservedListener,
	) {}

	/** `atMs` is the time when the bytes arrived. */
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
				// Drop leading white space.
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
		// The last line may have no line break.
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
			// Skip empty lines between messages.
			const message = text.trim();
			if (message !== "") this.observed(this.from, message, this.atMs);
		},
		unreadable: ({ message }) => this.observed(this.from, `(${message})`, this.atMs),
	};
}

const LF = 10;
const SPACE = 32;
// The first byte of a byte order mark, with which some shells start their output.
const MARK = 0xef;
const HEADER = /^content-(?:length|type)\s*:/i;
/** The start of a JSON object or of an array of objects. A log line can also start with a bracket. */
const MESSAGE = /^(?:\{|\[\s*[{\]])/;

/**
 * Detects the framing from the first line. Returns `neither` for any other line, and `unknown` if more bytes are
 * needed.
 */
function framingOf(bytes: Buffer): Framing | "neither" | "unknown" {
	const first = bytes.findIndex((byte) => byte > SPACE);
	if (first < 0) return "unknown";
	const end = bytes.indexOf(LF, first);
	const line = bytes.toString("latin1", first, Math.min(end < 0 ? bytes.length : end, first + FIRST_LINE_BYTES_MAX));
	if (bytes[first] === MARK || MESSAGE.test(line)) return lines;
	if (end < 0) return line.length < FIRST_LINE_BYTES_MAX ? "unknown" : lines;
	return HEADER.test(line) ? contentLength : "neither";
}
