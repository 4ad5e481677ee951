import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import type { CommandProcess } from "../command-line.js";
import { confirmInTerminal } from "./confirm.js";

/** A terminal of this width whose user presses a key. */
function terminal(columns: number, key: string) {
	let printed = "";
	const write = (chunk: unknown, _encoding: string, done: () => void) => {
		printed += chunk;
		done();
	};
	const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
	const stdout = Object.assign(new Writable({ write }), { isTTY: true, columns, rows: 24 });
	stdin.write(key);
	return { process: { stdin, stdout } as unknown as CommandProcess, printed: () => printed };
}

test.for([0, 1, 19, 100])("a terminal that reports %i columns shows a question on one line", async (columns) => {
	const { process, printed } = terminal(columns, "y");
	expect(await confirmInTerminal(process)?.("Do you trust them?")).toBe(true);
	expect(printed()).toContain("Do you trust them?");
});

test("there is no question outside a terminal", () => {
	const { process } = terminal(100, "y");
	expect(confirmInTerminal({ ...process, stdin: new PassThrough() as never })).toBeUndefined();
});
