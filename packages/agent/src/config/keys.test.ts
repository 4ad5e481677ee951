import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { KeyRow } from "./key-row.js";
import { type ConfigurationFile, configurationFile, EDIT_MODEL_KEYS, KEYS } from "./keys.js";
import { SESSION_KEYS } from "./session-settings.js";
import { guardedFields, splitByTrust } from "./trust.js";

const DOCUMENTATION = readFileSync(new URL("../../../../docs/configuring.md", import.meta.url), "utf8").split("\n");
const rowsOf = (rows: Readonly<Record<string, KeyRow>>) => Object.entries(rows);

test.each(rowsOf(KEYS))("docs/configuring.md contains the description of %s from its row", (key, { help, project }) => {
	const lines = DOCUMENTATION.filter((line) => new RegExp(`^\\| \`${key}[.\`]`).test(line));
	expect(lines.map((line) => line.split(" | ").slice(1).join(" | "))).toContain(`${help} | ${project} |`);
});

test.each(rowsOf(SESSION_KEYS))(
	"docs/configuring.md contains the description and default of nextEdit.%s from its row",
	(key, row) => {
		const value = typeof row.default === "string" ? row.default : JSON.stringify(row.default);
		expect(DOCUMENTATION).toContain(`| \`${key}\` | ${row.help} | \`${value}\` |`);
	},
);

test.each(rowsOf(EDIT_MODEL_KEYS))(
	"docs/configuring.md contains the description of nextEdit.%s from its row",
	(key, { help, project }) => {
		expect(DOCUMENTATION).toContain(`| \`${key}\` | ${help} | ${project} |`);
	},
);

test("docs/configuring.md lists all keys of nextEdit, and whether they apply in a project", () => {
	for (const rows of [EDIT_MODEL_KEYS, SESSION_KEYS]) {
		const names = Object.keys(rows).map((key) => `\`${key}\``);
		const line = DOCUMENTATION.find((one) => one.startsWith("| `nextEdit` |") && one.includes(names.join(", ")));
		for (const [, { project }] of rowsOf(rows)) expect(line?.endsWith(` | ${project} |`)).toBe(true);
	}
});

test("the default value of each key is valid", () => {
	for (const [, { schema, default: value }] of rowsOf({ ...KEYS, ...EDIT_MODEL_KEYS, ...SESSION_KEYS })) {
		if (value !== undefined) expect(schema.safeParse(value)).toMatchObject({ success: true, data: value });
	}
});

test("splits a project's file according to the rows, and lists fields that need trust, commands first", () => {
	const file = configurationFile.parse({
		model: "ollama/x",
		nextEdit: { enabled: false, delayMs: 5, offInFiles: ["*.md"], model: "embedded" },
		providers: { a: { baseUrl: "http://a", models: { m: { images: true } } } },
		approvals: [
			{ kind: "command", pattern: "ls", answer: "allow" },
			{ kind: "edit", pattern: "*", answer: "deny" },
		],
		network: false,
		mcpServers: { files: { command: "x" } },
		agents: {},
		feedback: true,
	});
	expect(guardedFields(file)).toEqual([
		...["mcpServers.files", "nextEdit.delayMs", "nextEdit.model", "approvals[0]", "providers.a.baseUrl", "feedback"],
	]);
	expect(splitByTrust(file).free).toEqual({
		model: "ollama/x",
		nextEdit: { enabled: false, offInFiles: ["*.md"] },
		providers: { a: { models: { m: { images: true } } } },
		approvals: [{ kind: "edit", pattern: "*", answer: "deny" }],
		network: false,
	});
});

test.each([
	["in nextEdit", { nextEdit: { unknown: 1 } }, "nextEdit.unknown"],
	["at the top level", { unknown: 1 }, "unknown"],
	["named like a member of Object.prototype", { constructor: 1 }, "constructor"],
])("requires trust for a key without a row %s", (_, file, field) => {
	// The schema rejects such files.
	const unchecked = file as ConfigurationFile;
	expect(splitByTrust(unchecked)).toEqual({ free: {}, guarded: file });
	expect(guardedFields(unchecked)).toEqual([field]);
});
