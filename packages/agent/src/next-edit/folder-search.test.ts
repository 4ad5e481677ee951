import { History } from "@segue/predict";
import { wordQueryOf } from "@segue/predict/words";
import { expect, test } from "vitest";
import type { FileQuery, FolderFiles } from "./folder-files.js";
import { FolderSearch, QueryHistory } from "./folder-search.js";

/** A search over in-memory files, given by name. Records the queries to the index. */
function stage(files: Readonly<Record<string, string>>) {
	const questions: FileQuery[] = [];
	const outlined = new Set<string>();
	const open = new Set<string>();
	const index: FolderFiles = {
		state: { files: 1, isComplete: true },
		find: async (question) => {
			questions.push(question);
			const has = (uri: string, hash: number) => files[uri]?.split(" ").some((word) => wordQueryOf(word).hash === hash);
			const words = question.hashes.map((hash) => {
				return { hash, uris: Object.keys(files).filter((uri) => has(uri, hash)), isAll: true };
			});
			const found = [...new Set([...question.uris, ...words.flatMap(({ uris }) => uris)])];
			return {
				words,
				files: found.flatMap((uri) => {
					const text = files[uri];
					return text === undefined ? [] : [{ uri, stamp: "1", text: question.known.has(uri) ? undefined : text }];
				}),
				missing: question.uris.filter((uri) => files[uri] === undefined),
			};
		},
		changed: () => {},
		pause: () => () => {},
		release: () => {},
	};
	const search = new FolderSearch(
		index,
		() => 0,
		{ has: (uri) => open.has(uri), uris: () => [...open] },
		{ update: ({ uri }) => outlined.add(uri), forget: (uri) => outlined.delete(uri) },
	);
	/**
	 * Searches for words within one simulated request. Returns the number of files for each word, and whether these are
	 * all the files.
	 */
	const request = async (...words: readonly string[]) => {
		const checked = new QueryHistory();
		for (;;) {
			const view = search.view(History.empty, () => false);
			const found = words.map((word) => {
				const wanted = wordQueryOf(word);
				return { files: view.having(wanted).length, isAll: view.hasAll(wanted) };
			});
			const question = search.queryFor(view, [], "", checked);
			if (question === undefined || !(await search.query(question, view, checked))) return found;
		}
	};
	return { search, request, questions, outlined, open };
}

function manyWith(word: string, count: number, text = word): [string, string][] {
	return Array.from({ length: count }, (_, i) => [`file:///${word}/${i}.ts`, text]);
}

test("reports incomplete results after texts have been evicted, and reads those texts again", async () => {
	const { request } = stage(Object.fromEntries([...manyWith("apple", 24), ...manyWith("pear", 120)]));
	expect(await request("apple")).toEqual([{ files: 24, isAll: true }]);
	expect(await request("apple", "pear")).toEqual([
		{ files: 16, isAll: false },
		{ files: 112, isAll: false },
	]);
	expect(await request("apple")).toEqual([{ files: 24, isAll: true }]);
});

test("limits the total length of cached texts", async () => {
	const large = `apple ${"x".repeat(2 ** 20)}`;
	const { request, outlined } = stage(Object.fromEntries(manyWith("apple", 20, large)));
	expect(await request("apple")).toEqual([{ files: 7, isAll: false }]);
	expect(outlined.size).toBe(7);
});

test("does not need the texts of files that are open in the editor", async () => {
	const { request, search, open } = stage(Object.fromEntries(manyWith("apple", 3)));
	await request("apple");
	open.add("file:///apple/0.ts");
	search.opened("file:///apple/0.ts");
	expect(await request("apple")).toEqual([{ files: 2, isAll: true }]);
});

test("evicts the least recently found texts, and removes all outlines when closed", async () => {
	const files = [...manyWith("apple", 20), ...manyWith("pear", 60), ...manyWith("plum", 60)];
	const { request, search, outlined } = stage(Object.fromEntries(files));
	await request("apple");
	await request("pear");
	search.changed("file:///apple/0.ts");
	await request("apple");
	await request("plum");
	expect([...outlined].filter((uri) => uri.startsWith("file:///apple/"))).toHaveLength(20);
	search.close();
	expect(outlined.size).toBe(0);
});

test("remembers whether a queried file exists", async () => {
	const { search, questions } = stage({ "file:///a/package.json": "{}" });
	const names = ["file:///a/package.json", "file:///package.json"];
	const look = () => {
		const view = search.view(History.empty, () => false);
		return { view, found: names.map((uri) => view.fileAt(uri)) };
	};
	const { view, found } = look();
	expect(found).toEqual([undefined, undefined]);
	const question = search.queryFor(view, [], "", new QueryHistory());
	if (question === undefined) expect.fail("no query");
	expect(await search.query(question, view, new QueryHistory())).toBe(true);
	expect(questions[0]?.uris).toEqual(names);
	expect(look().found).toEqual([expect.objectContaining({ uri: names[0] }), "missing"]);
	expect(search.queryFor(look().view, [], "", new QueryHistory())).toBe(undefined);
});
