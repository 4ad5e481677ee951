import { expect, test } from "vitest";
import { writeMessage } from "./message.js";

const TEXT = "Cannot read a.json: no such file. Pass story files (*.story.md).\nSecond message.";

test.each<[columns: number | undefined, lines: readonly string[]]>([
	[undefined, ["segue: Cannot read a.json: no such file. Pass story files (*.story.md).", "segue: Second message."]],
	[40, ["segue: Cannot read a.json: no such file.", "       Pass story files (*.story.md).", "segue: Second message."]],
])("writes a message for %s columns, wrapped only in a terminal", (columns, lines) => {
	let written = "";
	writeMessage({ write: (text) => (written += text), columns }, TEXT);
	expect(written).toBe(lines.map((line) => `${line}\n`).join(""));
});
