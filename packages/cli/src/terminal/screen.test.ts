import { FakeClock } from "@segue/testing/clock";
import { expect, test } from "vitest";
import { paintFor } from "./colour.js";
import { Screen } from "./screen.js";

/** A terminal that can print text, move the cursor back and erase the rest of a line. */
class FakeTerminal {
	lines = [""];
	constructor(readonly columns: number | undefined) {}

	write(text: string): void {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
		for (const [, back, erased, character] of text.matchAll(/(?:\x1b\[(\d+)D)|(\x1b\[K)|(.)/gsu)) {
			const line = this.lines.at(-1) ?? "";
			if (back !== undefined) this.lines.splice(-1, 1, line.slice(0, -Number(back)));
			else if (character === "\n") this.lines.push("");
			else if (erased === undefined) this.lines.splice(-1, 1, line + character);
		}
	}
}

function start({ columns = 40, isLively = true }: { columns?: number; isLively?: boolean } = {}) {
	const terminal = new FakeTerminal(columns);
	const clock = new FakeClock();
	const screen = new Screen(terminal, paintFor(false), isLively ? clock.after : undefined);
	return { terminal, clock, screen };
}

test("shows the reason and duration of a wait after one second", () => {
	const { terminal, clock, screen } = start();
	screen.wait(() => "Waiting for the model");
	clock.advance(999);
	expect(terminal.lines).toEqual([""]);
	clock.advance(1);
	expect(terminal.lines[0]).toMatch(/^. Waiting for the model 1 s$/);
	clock.advance(2000);
	expect(terminal.lines[0]).toMatch(/^. Waiting for the model 2 s$/);
	screen.rest();
	clock.advance(5000);
	expect(terminal.lines).toEqual([""]);
});

test("erases progress before the next text, and shows it again after another second", () => {
	const { terminal, clock, screen } = start();
	screen.wait(() => "Writing");
	clock.advance(1500);
	screen.write("Hello");
	expect(terminal.lines).toEqual(["Hello"]);
	clock.advance(1000);
	expect(terminal.lines[0]).toMatch(/^Hello . Writing 1 s$/);
	screen.write(", world\n");
	expect(terminal.lines).toEqual(["Hello, world", ""]);
	clock.advance(1000);
	expect(terminal.lines[1]).toMatch(/^. Writing 1 s$/);
});

test.each([
	["short text", 20, "x", /^x . Running a long…$/],
	["wide text", 20, "日本語日本", /^日本語日本 . Runni…$/],
	["a tab", 20, "\tx", /^\tx . Runnin…$/],
	["a wrapped line", 20, "x".repeat(25), /^x{25} . Running a …$/],
	["a painted line", 20, "\x1b[2mxy\x1b[22m", /xy.{5} . Running a lon…$/s],
	["a full line", 20, "x".repeat(20), /^x{20}$/],
	["a line with no room", 20, "x".repeat(17), /^x{17}$/],
	["text in a terminal of unknown width", 0, "x", /^x . Running a long command 1 s$/],
])("progress does not wrap after %s", (_, columns, text, expected) => {
	const { terminal, clock, screen } = start({ columns });
	screen.write(text);
	screen.wait(() => "Running a long command");
	clock.advance(1000);
	expect(terminal.lines[0]).toMatch(expected);
	screen.rest();
	expect(terminal.lines).toEqual([text]);
});

test("shows no progress if the output cannot erase text", () => {
	const { terminal, clock, screen } = start({ isLively: false });
	screen.wait(() => "Waiting");
	clock.advance(10_000);
	screen.write("done\n");
	expect(terminal.lines).toEqual(["done", ""]);
});
