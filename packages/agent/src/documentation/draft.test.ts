import { readdirSync, readFileSync } from "node:fs";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Node } from "web-tree-sitter";
import { installedGrammars } from "../node/grammar-files.js";
import { Parsers } from "../outline/parser.js";
import { BLANK, type Draft, draftAt } from "./draft.js";

const FOLDER = new URL("../../pictures/", import.meta.url);
const CURSOR = "▮";

/** A source file with a cursor, and either the file with the new comment or the reason why there is none. */
interface Picture {
	readonly title: string;
	readonly before: string;
	readonly after: string;
}

const parsers = new Parsers(installedGrammars);

function picturesOf(languageId: string): Picture[] {
	const [, ...pictures] = readFileSync(new URL(`${languageId}.md`, FOLDER), "utf8").split(/^## /m);
	return pictures.map((picture) => {
		const drawn = /^(.*?)\n\n```\w+\n(.*?\n)```\n\nbecomes(?:\n\n```\w+\n(.*\n)```| nothing: ([^\n]*))\n/s.exec(
			picture,
		);
		const [, title = "", before = "", after, why = ""] = drawn ?? [];
		return { title, before, after: after ?? why };
	});
}

function applied(source: string, draft: Draft, texts: ReadonlyMap<string, string> = new Map()): string {
	return source.slice(0, draft.from) + draft.write(texts) + source.slice(draft.to);
}

async function drawn(languageId: string, picture: string): Promise<string> {
	const [head = "", tail = ""] = picture.split(CURSOR);
	const draft = await draftAt(parsers, languageId, head + tail, head.length);
	return "why" in draft ? draft.why : applied(head + tail, draft);
}

/** Returns everything in a source file that matters to a compiler: its tree without comments and docstrings. */
async function meaningOf(languageId: string, source: string): Promise<unknown[]> {
	await parsers.load(languageId);
	const tree = parsers.treeOf(languageId, source);
	const meaning: unknown[] = [];
	const add = (node: Node) => {
		const children = node.children.filter((child) => !child.type.endsWith("comment") && !isDocstring(child));
		meaning.push(children.length === 0 ? [node.type, node.text] : node.type);
		for (const child of children) add(child);
		meaning.push("end");
	};
	add(tree.rootNode);
	tree.delete();
	return meaning;
}

function isDocstring(node: Node): boolean {
	const isFirst = node.previousNamedSibling === null && node.parent?.type === "block";
	return isFirst && node.type === "expression_statement" && node.namedChildren[0]?.type === "string";
}

const LANGUAGES = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ""));

describe.each(LANGUAGES)("a draft in %s", (languageId) => {
	const pictures = picturesOf(languageId);

	test.for(pictures.map(({ title, before, after }) => [title, before, after] as const))(
		"gives the expected result: %s",
		async ([, before, after]) => {
			expect(await drawn(languageId, before)).toBe(after);
			const crlf = await drawn(languageId, before.replaceAll("\n", "\r\n"));
			expect(crlf).toBe(after.replaceAll("\n", "\r\n"));
		},
	);

	test("changes only comments, wherever the cursor is, and a second draft has nothing to add", async () => {
		const sources = pictures.map(({ before }) => before.replace(CURSOR, ""));
		const place = fc.constantFrom(...sources).chain((source) => fc.tuple(fc.constant(source), fc.nat(source.length)));
		const words = fc.constantFrom("It is.", '"""', "*/", "\\", 'a"', "\\u00", "`", "# A", "@param x", "'''");
		await fc.assert(
			fc.asyncProperty(place, fc.array(words), async ([source, offset], given) => {
				const draft = await draftAt(parsers, languageId, source, offset);
				if ("why" in draft) return;
				const texts = new Map(draft.blanks.flatMap((blank, index) => (given[index] ? [[blank, given[index]]] : [])));
				const after = applied(source, draft, texts);
				expect(await meaningOf(languageId, after)).toEqual(await meaningOf(languageId, source));
				if (texts.size > 0) return;
				const shift = offset < draft.from ? 0 : draft.write(texts).length - (draft.to - draft.from);
				const again = await draftAt(parsers, languageId, after, Math.max(offset + shift, 0));
				expect("why" in again ? again.why : applied(after, again)).toMatch(/is already documented/);
			}),
			{ numRuns: runs(150) },
		);
	});
});

test("a draft has the range of the comment that it replaces", async () => {
	const source = "/** Adds. */\nconst add = (a) => a\n";
	const draft = (await draftAt(parsers, "javascript", source, 20)) as Draft;
	expect(source.slice(draft.from, draft.to)).toBe("/** Adds. */");
	expect(draft.blanks).toEqual(["parameter a"]);
});

test("a draft fills in the given descriptions and leaves the rest blank", async () => {
	const source = "function run(a, b) { return 1 }";
	const draft = (await draftAt(parsers, "typescript", source, 0)) as Draft;
	expect(draft.blanks).toEqual(["summary", "parameter a", "parameter b", "returns"]);
	const texts = new Map([
		["summary", "Runs */ it."],
		["parameter b", "The other."],
		["parameter c", "Not a parameter."],
	]);
	expect(draft.write(texts)).toBe(
		`/**\n * Runs * / it.\n *\n * @param a ${BLANK}\n * @param b The other.\n * @returns ${BLANK}\n */\n`,
	);
});

test.for([
	["Reads a file.", "// Read reads a file."],
	["Read reads a file.", "// Read reads a file."],
	["HTTP is used.", "// Read HTTP is used."],
])("a comment in Go starts with the name: %s", async ([summary = "", comment]) => {
	const draft = (await draftAt(parsers, "go", "package a\n\nfunc Read() {}\n", 12)) as Draft;
	expect(draft.write(new Map([["summary", summary]]))).toBe(`${comment}\n`);
});

test("lists the supported languages if a language is not supported", async () => {
	expect(await draftAt(parsers, "plaintext", "", 0)).toEqual({
		why: expect.stringMatching(
			/^Doc comments are not supported in plaintext\. Supported languages: typescript, .*php\.$/,
		),
		isDone: false,
	});
});

test("reports a grammar that cannot be loaded", async () => {
	class Broken extends Parsers {
		override async load(): Promise<void> {
			throw new Error("not found");
		}
	}
	expect(await draftAt(new Broken(installedGrammars), "go", "package a", 0)).toEqual({
		why: "The grammar for go cannot be loaded: not found",
		isDone: false,
	});
});

test("does not parse very long sources", async () => {
	const source = "function a() {}\n".repeat(40_000);
	expect(await draftAt(parsers, "javascript", source, 0)).toMatchObject({
		why: expect.stringMatching(/is longer than/),
	});
});

test.for(["", "\n", "   ", "\u{1f600}", "function", "class {", "def f(", "/**"])(
	"never throws for the source %j",
	async (source) => {
		for (const languageId of LANGUAGES) {
			for (let offset = 0; offset <= source.length; offset++) {
				const draft = await draftAt(parsers, languageId, source, offset);
				expect("why" in draft || draft.write(new Map()) !== "").toBe(true);
			}
		}
	},
);
