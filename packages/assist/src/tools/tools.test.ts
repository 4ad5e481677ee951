import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { EditorPosition } from "../client.js";
import { ToolError } from "../failures.js";
import type { Tool } from "./tool.js";
import { toolsFor } from "./tools.js";

const FILE_TOOLS = [
	"read_file",
	"list_directory",
	"find_files",
	"search",
	"edit_file",
	"write_file",
	"delete_file",
	"run_command",
	"background_jobs",
];
const KNOWLEDGE = {
	openDocuments: async () => [note("a.ts"), note("b.ts")],
	recentDocuments: async () => [
		note(".env", "KEY=1"),
		note("dist/a.js"),
		note("../out.ts"),
		note("link"),
		note("a.ts"),
	],
	activeDocument: async () => [note("a.ts", "x".repeat(100_000))],
	definition: async ({ path, line, character }: EditorPosition) => [
		note("dist/a.js", "line 1"),
		note("../out.ts", "line 2"),
		{ path, text: `from ${line}:${character}` },
	],
	references: async () => {
		throw new ToolError("The language server is starting. Try again in a moment.");
	},
	diagnostics: async (file: string | undefined) => {
		return file === undefined
			? Array.from({ length: 501 }, () => note("a.ts", "wrong"))
			: [{ path: file, text: "line 1: wrong" }];
	},
};
const OPTIONS = { network: false, secretVariables: [] };

function note(name: string, text = "") {
	return { path: name, text };
}

describe("the tools for a client", () => {
	test.each([
		["without an editor", {}, false, FILE_TOOLS],
		["with the network", {}, true, [...FILE_TOOLS, "fetch_url"]],
		[
			"with an editor that supports one query",
			{ activeDocument: KNOWLEDGE.activeDocument },
			false,
			[...FILE_TOOLS, "active_document"],
		],
		[
			"with an editor that supports all queries",
			KNOWLEDGE,
			false,
			[
				...FILE_TOOLS,
				"diagnostics",
				"find_definition",
				"find_references",
				"open_documents",
				"recent_documents",
				"active_document",
			],
		],
	])("include only tools that work %s", (_title, editor, network, names) => {
		expect(toolsFor({ editor }, { ...OPTIONS, network }).map(({ name }) => name)).toEqual(names);
	});

	test("have descriptions for every input", () => {
		for (const { name, input, description } of toolsFor({ editor: KNOWLEDGE }, { ...OPTIONS, network: true })) {
			const schema = z.toJSONSchema(input);
			expect(schema.type, name).toBe("object");
			for (const property of Object.values(schema.properties ?? {}))
				expect(property, name).toHaveProperty("description");
			expect(description, name).toMatch(/^[A-Z].*\.$/s);
		}
	});

	test.each([
		["diagnostics", { path: "a.ts" }, "a.ts: line 1: wrong"],
		["diagnostics", { path: "dist/a.js" }, "dist/a.js: line 1: wrong"],
		["diagnostics", {}, `${"a.ts: wrong\n".repeat(500)}(1 more not listed.)`],
		["find_definition", { path: "a.ts", line: 3, character: 7 }, "a.ts: from 3:7"],
		["find_definition", { path: "../out.ts", line: 1, character: 1 }, expect.stringMatching(/^refused: /)],
		[
			"find_references",
			{ path: "a.ts", line: 3, character: 7 },
			"refused: The language server is starting. Try again in a moment.",
		],
		["open_documents", {}, "a.ts\nb.ts"],
		["recent_documents", {}, "a.ts"],
		["active_document", {}, `a.ts: ${"x".repeat(19_994)}\n(truncated: 80006 of 100006 characters omitted)`],
	])("query the editor and omit secret files, ignored files and long text: %s %j", async (name, input, output) => {
		const box = await ToolFixture.draw({
			"a.ts": "",
			".env": "",
			link: "→ .env",
			"dist/a.js": "",
			".ignored": "dist/",
		});
		const tool = toolsFor({ editor: KNOWLEDGE }, OPTIONS).find((one) => one.name === name) as Tool;
		expect(await box.call(tool, input)).toEqual(output);
	});

	test("need permission for the symbols in an ignored file", async () => {
		const box = await ToolFixture.draw({ "dist/a.js": "", ".ignored": "dist/" });
		const tool = toolsFor({ editor: KNOWLEDGE }, OPTIONS).find((one) => one.name === "find_definition") as Tool;
		const { permissions } = await box.prepare(tool, { path: "dist/a.js", line: 1, character: 1 });
		expect(permissions).toEqual([{ kind: "read-ignored", subject: "dist/a.js" }]);
	});

	test("report an empty response from the editor", async () => {
		const box = await ToolFixture.draw({});
		const tool = toolsFor({ editor: { activeDocument: async () => [] } }, OPTIONS).at(-1) as Tool;
		expect(await box.call(tool, {})).toBe("No results.");
	});
});
