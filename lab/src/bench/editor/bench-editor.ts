import { Editor } from "@segue/editor";
import * as acp from "@segue/protocol/acp";
import { Connection, memoryPair, on } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { FakeHost } from "@segue/testing/editors/fake-host";
import { settled } from "@segue/testing/rpc/peers";
import { Random, randomCode } from "../random-code.js";

const KB = 1000;
export const OPEN_FILES = 50;
// The user types a few letters and pauses. During a pause the library syncs the document and requests suggestions.
export const PAUSES = 100;
export const KEYSTROKES = 10;

/** An editor with open files, and an agent that always suggests the same edit at the end of the first file. */
export class BenchEditor {
	sentBytes = 0;
	private readonly host = new FakeHost();
	private readonly clock = new FakeClock();
	private readonly random = new Random(3);
	private readonly uri = "file:///project/src/file0.ts";

	static async with(lines: number, capabilities: acp.NesCapabilities): Promise<BenchEditor> {
		const editor = new BenchEditor();
		const { host, clock } = editor;
		host.editor = new Editor({
			host,
			clock,
			clientInfo: { name: "bench", version: "1.0.0" },
			connect: () => {
				const [ours, theirs] = memoryPair();
				serve(theirs, capabilities, lines);
				return ours;
			},
			connected: (connection) => {
				connection.tap(({ direction, phase, text }) => {
					if (direction === "out" && phase === "before") editor.sentBytes += Buffer.byteLength(text) + 1;
				});
			},
		});
		const random = new Random(7);
		const code = randomCode(60 * lines, random)
			.split("\n")
			.slice(0, lines)
			.join("\n");
		host.open(editor.uri, code);
		for (let i = 1; i < OPEN_FILES; i++) host.open(`file:///project/src/file${i}.ts`, randomCode(10 * KB, random));
		host.focus(editor.uri);
		await settled();
		return editor;
	}

	/** Types for a while. Returns the milliseconds per keystroke and per pause. */
	async type(): Promise<{ keystroke: number; pause: number }> {
		let typingMs = 0;
		let pausingMs = 0;
		for (let pause = 0; pause < PAUSES; pause++) {
			const { text } = this.host.document(this.uri);
			this.host.move(text.lineEnd(this.random.below(text.lineCount - 1)));
			const began = performance.now();
			for (let i = 0; i < KEYSTROKES; i++) this.host.type("x");
			const paused = performance.now();
			this.clock.advance(3000);
			const requested = performance.now();
			await settled();
			typingMs += paused - began;
			pausingMs += requested - paused;
		}
		return { keystroke: typingMs / (PAUSES * KEYSTROKES), pause: pausingMs / PAUSES };
	}
}

function serve(channel: ReturnType<typeof memoryPair>[0], nes: acp.NesCapabilities, lines: number): void {
	let count = 0;
	const end = { line: lines, character: 0 };
	const edits = [{ range: { start: end, end }, newText: "// the end" }];
	new Connection<"agent">(channel, {
		dialect: acp.dialect,
		report: () => {},
		handlers: [
			on(acp.initialize, () => ({ protocolVersion: 1, agentCapabilities: { nes } })),
			on(acp.nesStart, () => ({ sessionId: "bench" })),
			on(acp.nesSuggest, ({ uri }) => ({ suggestions: [{ id: `${++count}`, kind: "edit" as const, uri, edits }] })),
		],
	});
}
