import { type Diagnostic, type Folder, History, type Scene, sceneOf, type View, WordIndex } from "@segue/predict";
import { readPicture } from "@segue/story";
import { Change, type Document, languageOf, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptInput } from "./format.js";
import { promptInputOf } from "./prompt-input.js";

const ROOT = "file:///home/alice/shop/";
const WORKSPACE = {
	uri: "file:///home/alice/shop",
	folders: [],
	repository: { name: "shop", owner: "alice", remoteUrl: "https://example.com/alice/shop.git" },
};

function documentAt(path: string, source: string): Document {
	return {
		uri: path.includes(":") ? path : `${ROOT}${path}`,
		languageId: languageOf(path),
		version: 0,
		text: Text.of(source),
	};
}

/** Creates a scene in which `own.ts` has the drawn text and cursor. */
function sceneAt(drawn: string, more: Partial<Scene> = {}): Scene {
	const { before, selection } = readPicture(drawn);
	const document = documentAt("own.ts", before);
	return { ...sceneOf(document, History.empty, selection?.head ?? 0), workspace: WORKSPACE, ...more };
}

function inputOf(scene: Scene): PromptInput {
	const input = promptInputOf(scene);
	return typeof input === "string" ? expect.fail(input) : input;
}

/** Creates a history of replacements, one per step, with pauses between them. */
function historyOf(...steps: readonly (readonly [path: string, source: string, old: string, now: string])[]): History {
	const texts = new Map<string, Text>();
	return steps.reduce((history, [path, source, old, now], i) => {
		const document = { ...documentAt(path, source), text: texts.get(path) ?? Text.of(source) };
		const from = document.text.toString().indexOf(old);
		const change = Change.of([{ from, to: from + old.length, insert: now }], document.text.length);
		texts.set(path, change.apply(document.text));
		return history.changed(document, change, { atMs: i * 10_000, isAccepted: i === 1 });
	}, History.empty);
}

function viewOf(path: string, more: Partial<View> = {}): View {
	return {
		uri: `${ROOT}${path}`,
		languageId: undefined,
		cursor: undefined,
		visible: undefined,
		focusedAtMs: 0,
		...more,
	};
}

/** A folder with one file that is not open. */
function folderWith(file: Document): Folder {
	const find = (uri: string) => (uri === file.uri ? file : undefined);
	return { having: () => [file], hasAll: () => true, find, fileAt: find };
}

/** Creates distinct lines. */
function lines(count: number, name = "line"): string {
	return Array.from({ length: count }, (_, i) => `${name}${i}()`).join("\n");
}

test("contains the user's context with workspace paths", () => {
	const lib = documentAt("src/lib.ts", "export function area() {\n\treturn 1\n}");
	const history = historyOf(["own.ts", "log()\nlog(are)\n", "are", "area(1)"]);
	const scene: Scene = {
		...sceneOf(documentAt("own.ts", "log()\nlog(area(1))\n"), history, 2),
		workspace: WORKSPACE,
		neighbours: [lib],
		excerpts: [{ uri: `${ROOT}notes.md`, first: 4, last: 5, text: "one\r\ntwo" }],
		diagnostics: [
			{ uri: `${ROOT}own.ts`, from: 6, to: 9, severity: "error", message: "'/home/alice/shop/src/lib.ts' has none" },
			{ uri: `${ROOT}src/lib.ts`, from: 0, to: 1, severity: "error", message: "elsewhere" },
		],
	};
	const { text, edits, nodesAround, ...rest } = inputOf(scene);
	expect(nodesAround()).toEqual([]);
	expect(text).toBe(scene.document.text);
	expect(edits).toEqual([
		{
			path: "own.ts",
			oldPath: "own.ts",
			event: history.events[0],
			diff: "@@ -1,2 +1,2 @@\n log()\n-log(are)\n+log(area(1))\n",
		},
	]);
	expect(rest).toEqual({
		uri: `${ROOT}own.ts`,
		path: "own.ts",
		languageId: "typescript",
		cursor: 2,
		repository: "shop",
		recent: [{ path: "src/lib.ts", first: 0, last: 2, lineCount: 3, text: lib.text.toString() }],
		related: [
			{ path: "notes.md", first: 4, last: 5, text: "one\ntwo" },
			{ path: "src/lib.ts", first: 0, last: 2, lineCount: 3, text: lib.text.toString() },
		],
		diagnostics: [{ severity: "error", message: "'src/lib.ts' has none", from: 6, to: 9, line: 1 }],
	});
});

test.each([
	["secret-file", ".env", "KEY=1", {}],
	["secret-file", "%2Eenv", "KEY=1", {}],
	["ignored-file", "dist/a.ts", "log()", { ignored: new Set([`${ROOT}dist/a.ts`]) }],
	["ignored-file", "dist/%61.ts", "log()", { ignored: new Set([`${ROOT}dist/a.ts`]) }],
	["binary-file", "a.ts", "log(\0)", {}],
	["minified-file", "a.ts", "x".repeat(6000), {}],
	["too-large-file", "a.ts", "log()\n".repeat(900_000), {}],
] as const)("hides the whole scene: %s", (reason, path, source, more) => {
	expect(promptInputOf({ ...sceneAt("▮"), document: documentAt(path, source), ...more })).toBe(reason);
});

describe("the history contains", () => {
	const edit = (path: string, n: number) => [path, lines(12, path), `${path}${n}()`, `${path}${n}(1)`] as const;
	const editsIn = (history: History, own = "own") => {
		const { edits } = inputOf({ ...sceneAt("▮"), document: documentAt(own, ""), history });
		return edits.map(({ path, diff }) => `${path} ${/^\+\D+(\d+)/m.exec(diff)?.[1]}`);
	};

	test("the last six edits, oldest first", () => {
		const history = historyOf(...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => edit("own", n)));
		expect(editsIn(history)).toEqual(["own 2", "own 3", "own 4", "own 5", "own 6", "own 7"]);
	});

	test("the newest edits from any file, and older ones preferably from the same file", () => {
		const history = historyOf(
			...[0, 1, 2, 3].map((n) => edit("own", n)),
			...[0, 1, 2, 3, 4].map((n) => edit("lib", n)),
		);
		expect(editsIn(history)).toEqual(["own 1", "own 2", "own 3", "lib 2", "lib 3", "lib 4"]);
		expect(editsIn(history, "lib")).toEqual(["own 3", "lib 0", "lib 1", "lib 2", "lib 3", "lib 4"]);
	});

	test("up to two thousand tokens, the newest first", () => {
		const long = (path: string) => [path, "log()\n", "log()", `log0()\n${lines(260)}`] as const;
		const history = historyOf(edit("own", 0), long("one"), long("two"), edit("six", 0), long("ten"));
		expect(editsIn(history)).toEqual(["own 0", "two 0", "six 0", "ten 0"]);
	});

	test("whether an edit was an accepted suggestion", () => {
		const history = historyOf(edit("own", 0), edit("own", 11));
		expect(inputOf({ ...sceneAt("▮"), history }).edits.map(({ event }) => event.isAccepted)).toEqual([false, true]);
	});

	test.each<[string, string, string]>([
		["a pasted file", "log()", lines(1000)],
		["binary data", "log()", "\0"],
		["generated code", "log()", "x".repeat(6000)],
	])("earlier edits, but not %s", (_, old, now) => {
		const history = historyOf(edit("own", 0), ["lib", "log()\n", old, now]);
		expect(editsIn(history)).toEqual(["own 0"]);
	});
});

describe("recent files contain", () => {
	const neighbours = ["one", "two", "six"].map((name) => documentAt(`${name}.ts`, lines(100, name)));
	const at = (rank: number, line: number) => neighbours[rank]?.text.lineStart(line) ?? 0;
	const recentOf = (more: Partial<Scene>) => {
		return inputOf(sceneAt("▮", { neighbours, ...more })).recent.map(
			({ path, text }) => [path, text.split("\n")] as const,
		);
	};

	test("the lines around the cursor or the middle of the visible range, most recent first", () => {
		const views = [
			viewOf("own.ts", { cursor: 0 }),
			viewOf("six.ts", { cursor: at(2, 50) }),
			viewOf("gone.ts", { cursor: 3 }),
			viewOf("one.ts", { visible: { from: at(0, 20), to: at(0, 40) } }),
		];
		const recent = recentOf({ views });
		expect(recent.map(([path]) => path)).toEqual(["six.ts", "one.ts", "two.ts"]);
		for (const [i, line] of ["six50()", "one30()", "two0()"].entries()) expect(recent[i]?.[1]).toContain(line);
		for (const [, shown] of recent) expect(shown.length).toBeLessThan(60);
	});

	test("the last changed lines of files without a view", () => {
		const history = historyOf(["two.ts", lines(100, "two"), "two70()", "two70(1)"]);
		const changed = [...neighbours];
		changed[1] = documentAt("two.ts", lines(100, "two").replace("two70()", "two70(1)"));
		expect(recentOf({ history, neighbours: changed })[1]?.[1]).toContain("two70(1)");
	});

	test("at most five files, and no empty ones", () => {
		const many = Array.from({ length: 9 }, (_, i) => documentAt(`${i}.ts`, i === 0 ? "" : `log(${i})`));
		expect(recentOf({ neighbours: many, views: many.map((_, i) => viewOf(`${i}.ts`)) }).map(([path]) => path)).toEqual(
			[1, 2, 3, 4, 5].map((i) => `${i}.ts`),
		);
	});
});

describe("related snippets contain", () => {
	const excerpt = (path: string, first: number, text: string) => {
		return { uri: `${ROOT}${path}`, first, last: first + text.split("\n").length - 1, text };
	};
	const relatedOf = (scene: Scene) => inputOf(scene).related.map(({ path, first, last }) => `${path}:${first}-${last}`);

	test("no duplicates and no lines around the cursor", () => {
		const lib = documentAt("lib.ts", "export function area() {\n\treturn 1\n}");
		const excerpts = [
			excerpt("own.ts", 1, "log()"),
			excerpt("own.ts", 100, "log()"),
			excerpt("lib.ts", 2, "}"),
			excerpt("lib.ts", 2, "}\n"),
			excerpt("lib.ts", 7, "  "),
			excerpt("odd.ts", 7, "\0"),
		];
		expect(relatedOf(sceneAt("area()\n▮", { excerpts, neighbours: [lib] }))).toEqual(["own.ts:100-100", "lib.ts:2-2"]);
		expect(relatedOf(sceneAt("area()\n▮", { neighbours: [lib] }))).toEqual(["lib.ts:0-2"]);
	});

	test("at most twelve excerpts from the editor, then definitions", () => {
		const lib = documentAt("lib.ts", "export function area() {}");
		const excerpts = Array.from({ length: 20 }, (_, i) => excerpt(`${i}.ts`, 0, "log()"));
		const related = relatedOf(sceneAt("area()\n▮", { excerpts, neighbours: [lib] }));
		expect(related).toEqual([...Array.from({ length: 12 }, (_, i) => `${i}.ts:0-0`), "lib.ts:0-0"]);
	});
});

test("contains the eight diagnostics nearest to the cursor", () => {
	const document = documentAt("own.ts", lines(30));
	const diagnostics = Array.from({ length: 30 }, (_, line): Diagnostic => {
		const from = document.text.lineStart(line);
		return { uri: document.uri, from, to: from + 1, severity: "error", message: `${line}` };
	});
	const scene = { ...sceneAt("▮"), document, cursor: document.text.lineStart(10), diagnostics };
	expect(inputOf(scene).diagnostics.map(({ line }) => line)).toEqual([10, 9, 11, 8, 12, 7, 13, 6]);
});

describe("while the user types on one line", () => {
	const names = ["area", "width", "Shape", "LIMIT", "depth", "volume", "price", "total"];
	const libs = names.map((name) => documentAt(`${name}.ts`, `export function ${name}() {\n\treturn 1\n}`));
	const someWord = fc.constantFrom(...names, "(", ")", " ", ".", '"', "ab", "const ", "// ");

	test("recent and related snippets only grow at the end", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...names)), fc.array(someWord), fc.nat(10), (around, typed, place) => {
				const source = around.map((name) => `${name}()`);
				const line = place % (source.length + 1);
				const above = source.slice(0, line).map((one) => `${one}\n`);
				const below = source.slice(line).map((one) => `\n${one}`);
				let before: PromptInput | undefined;
				for (let count = 0; count <= typed.length; count++) {
					const start = above.join("") + typed.slice(0, count).join("");
					const document = documentAt("own.ts", start + below.join(""));
					const views = libs.map((one) => viewOf(`${one.uri.slice(ROOT.length)}`, { cursor: 0 }));
					const input = inputOf({ ...sceneAt("▮"), document, cursor: start.length, neighbours: libs, views });
					if (before !== undefined) {
						expect(input.recent).toEqual(before.recent);
						expect(input.related.slice(0, before.related.length)).toEqual(before.related);
					}
					before = input;
				}
			}),
		);
	});
});

describe("no part of a scene reveals", () => {
	const MARKER = "hunter2";
	/** Names of hidden files, some of them percent-encoded. */
	const someHidden = fc.constantFrom(
		".env",
		"%2Eenv",
		".env.local",
		"keys/id_rsa",
		"%6Bey.pem",
		"dist/out.ts",
		"dist/%6Fut.ts",
		"big.min.ts",
		"data.ts",
	);
	const IGNORED = new Set([`${ROOT}dist/out.ts`]);
	/** Contents of hidden files. The last two files are hidden because of their content. */
	const sourceOf = (path: string) => {
		const source = `export function area() {\n\treturn "${MARKER}"\n}\n`;
		if (path === "big.min.ts") return `${source}${"x".repeat(6000)}`;
		return path === "data.ts" ? `${source}\0` : source;
	};
	const isHiddenByName = (path: string) => path !== "big.min.ts" && path !== "data.ts";

	test("secret, ignored or generated files", () => {
		const ways = ["neighbour", "history", "excerpt", "view", "diagnostic", "renamed"] as const;
		fc.assert(
			fc.property(
				fc.uniqueArray(someHidden, { minLength: 1 }),
				fc.uniqueArray(fc.constantFrom(...ways), { minLength: 1 }),
				fc.boolean(),
				(paths, chosen, isIndexed) => {
					const does = (way: (typeof ways)[number]) => chosen.includes(way);
					const hidden = paths.map((path) => documentAt(path, sourceOf(path)));
					const plain = documentAt("lib.ts", "export const LIMIT = 1");
					const steps = paths.map((path) => [path, sourceOf(path), "area", `area${MARKER}`] as const);
					const open = does("history") ? historyOf(...steps) : History.empty;
					const renamed = paths.filter(isHiddenByName).map((path) => [path, `${MARKER} 1`, "1", MARKER] as const);
					const history = does("renamed") ? open.joined(historyOf(...renamed), "told") : open;
					const neighbours = does("neighbour") || does("view") ? [...hidden, plain] : [plain];
					const shown = paths.map((path) => {
						// If the file is not open, only the excerpt shows that it is generated.
						return { uri: documentAt(path, "").uri, text: neighbours.length > 1 ? MARKER : sourceOf(path) };
					});
					const scene = sceneAt("area(LIMIT)\n▮", {
						history,
						neighbours,
						ignored: IGNORED,
						views: does("view") ? paths.map((path) => viewOf(path, { cursor: 0 })) : [],
						excerpts: does("excerpt") ? shown.map(({ uri, text }) => ({ uri, first: 0, last: 0, text })) : [],
						diagnostics: does("diagnostic")
							? shown.map(({ uri }) => ({ uri, from: 0, to: 0, severity: "error", message: MARKER }))
							: [],
					});
					const wordIndex = new WordIndex();
					for (const one of [scene.document, ...neighbours]) wordIndex.open(one);
					const input = inputOf(isIndexed ? { ...scene, wordIndex: wordIndex.snapshot() } : scene);
					expect(JSON.stringify(input)).not.toContain(MARKER);
					expect(JSON.stringify(input)).toContain("LIMIT");
				},
			),
		);
	});
});

test("the repository name falls back to the folder's and is never empty", () => {
	const nameIn = (workspace: Scene["workspace"]) => inputOf(sceneAt("▮", { workspace })).repository;
	expect(nameIn(WORKSPACE)).toBe("shop");
	expect(nameIn({ ...WORKSPACE, uri: `${ROOT}.`.slice(0, -2), repository: undefined })).toBe("shop");
	expect(nameIn({ uri: undefined, folders: [{ uri: ROOT, name: "till" }], repository: undefined })).toBe("till");
	expect(nameIn({ uri: undefined, folders: [], repository: undefined })).toBe("untitled");
	expect(nameIn({ uri: undefined, folders: [], repository: { name: "", owner: "", remoteUrl: "" } })).toBe("untitled");
});

test("syntax nodes at the cursor are looked up on demand", () => {
	const scene = sceneAt("one(▮)", { nodesAround: (document, at) => [{ from: at, to: document.text.length }] });
	expect(inputOf(scene).nodesAround()).toEqual([{ from: 4, to: 5 }]);
	expect(inputOf({ ...scene, nodesAround: () => undefined }).nodesAround()).toEqual([]);
});

describe("a renamed file", () => {
	const BEFORE = "log()\nlog(are)\n";
	const AFTER = "log()\nlog(area)\n";
	const [first, second] = [
		["old.ts", BEFORE, "are", "area"],
		["own.ts", AFTER, "log()", "print()"],
	] as const;
	const paths = (scene: Scene) => inputOf(scene).edits.map(({ oldPath, path }) => `${oldPath} → ${path}`);

	test("has its former path in the first edit after the rename", () => {
		const history = historyOf(first, second, ["own.ts", "", "area", "length"]);
		expect(paths(sceneAt("▮", { history }))).toEqual(["old.ts → old.ts", "old.ts → own.ts", "own.ts → own.ts"]);
	});

	test("is not confused with a copy, whose original is still open", () => {
		const scene = sceneAt("▮", { history: historyOf(first, second), neighbours: [documentAt("old.ts", AFTER)] });
		expect(paths(scene)).toEqual(["old.ts → old.ts", "own.ts → own.ts"]);
	});

	test("is not confused with a copy, whose original is still on disk", () => {
		const scene = sceneAt("▮", { history: historyOf(first, second), folder: folderWith(documentAt("old.ts", AFTER)) });
		expect(paths(scene)).toEqual(["old.ts → old.ts", "own.ts → own.ts"]);
	});

	test("is not confused with a file that starts empty or with different content", () => {
		const emptied = historyOf(["old.ts", "a", "a", ""], ["own.ts", "", "", "b"]);
		expect(paths(sceneAt("▮", { history: emptied }))).toEqual(["old.ts → old.ts", "own.ts → own.ts"]);
		const other = historyOf(first, ["own.ts", `${AFTER}\n`, "log()", "print()"]);
		expect(paths(sceneAt("▮", { history: other }))).toEqual(["old.ts → old.ts", "own.ts → own.ts"]);
	});
});

test("snippets of known files contain the line count", () => {
	const lib = documentAt("lib.ts", lines(30));
	const excerpts = [
		{ uri: lib.uri, first: 0, last: 0, text: "line0()" },
		{ uri: `${ROOT}unknown.ts`, first: 0, last: 0, text: "other()" },
	];
	const { related } = inputOf(sceneAt("▮", { neighbours: [lib], excerpts }));
	expect(related.map(({ path, lineCount }) => [path, lineCount])).toEqual([
		["lib.ts", 30],
		["unknown.ts", undefined],
	]);
});
