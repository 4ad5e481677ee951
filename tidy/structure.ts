import path from "node:path";
import { importsOf } from "./imports.js";
import { isCode, isTest, ownerOf, type Package, packagesOf, splitSpecifier } from "./packages.js";
import type { Tree } from "./tree.js";

/** Maximum number of entries in a source folder. A listing of this length can be read at a glance. */
const FOLDER_ENTRIES_MAX = 25;

/** A file that is shorter than this and has one importer is always read together with that importer. */
const FRAGMENT_LINES = 60;

/** Names of files that exist once per language, in several folders. */
const LANGUAGE = /^(?:c|cpp|csharp|go|java|javascript|php|python|ruby|rust|typescript)$/;

/** Small files with one importer that should remain separate, each with the reason. */
const FRAGMENTS: Readonly<Record<string, string>> = {
	"packages/agent/src/node/model-predictor.ts": "loaded when a model is chosen, so that other sessions load no models",
	"packages/agent/src/node/outline-worker.ts": "isolates Node: it starts the worker in which documents are parsed",
	"packages/cli/src/run/run-acp.ts": "loaded when the command runs, so that other commands start without the server",
	"packages/cli/src/run/run-eca.ts": "loaded when the command runs, so that other commands start without the server",
	"packages/cli/src/run/run-threads.ts":
		"loaded when the command runs, so that other commands start without the server",
	"packages/models/src/next-edit/apis/anthropic-messages.ts": "one file for each API",
	"packages/models/src/next-edit/apis/sweep-hosted.ts": "one file for each API",
	"packages/models/src/next-edit/formats/fill.ts": "one file for each format",
	"packages/models/src/next-edit/formats/mercury.ts": "one file for each format",
	"packages/predict/src/ranking/trees.ts": "data that `npm run fit` writes",
	"playground/src/workbench/find-panel.ts":
		"loaded at the first search, so that the page has less to download initially",
};

/** Whether a file contains code that is neither a test nor a declaration file. */
function isSource(file: string): boolean {
	return isCode(file) && !isTest(file) && !/\.d\.[cm]?ts$/.test(file);
}

/** Returns the name of a file without its extension. */
function baseOf(file: string): string {
	return path.posix.basename(file).replace(/\.[cm]?[jt]sx?$/, "");
}

/** Whether a file exists once per language. */
export function isPerLanguage(file: string): boolean {
	return LANGUAGE.test(baseOf(file));
}

/** Finds folders with too many source files and subfolders. Tests do not count. */
export function findCrowdedFolders(tree: Tree): string[] {
	const entries = new Map<string, Set<string>>();
	for (const file of Object.keys(tree).filter(isSource)) {
		const parts = file.split("/");
		for (let depth = 1; depth < parts.length; depth++) {
			const folder = parts.slice(0, depth).join("/");
			const known = entries.get(folder) ?? new Set();
			entries.set(folder, known.add(parts[depth] as string));
		}
	}
	return [...entries].flatMap(([folder, { size }]) => {
		if (size <= FOLDER_ENTRIES_MAX) return [];
		const advice = "group the files that belong together in folders";
		return [`${folder}:1 has ${size} source entries, more than ${FOLDER_ENTRIES_MAX}: ${advice}`];
	});
}

/** Finds files in one package that have the same name. */
export function findRepeatedNames(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const first = new Map<string, string>();
	return Object.keys(tree).flatMap((file) => {
		if (!isSource(file) || !/\/src\/.*\.tsx?$/.test(file) || mayRepeat(file)) return [];
		const key = `${ownerOf(packages, file)?.folder}:${baseOf(file)}`;
		const other = first.get(key);
		if (other === undefined) {
			first.set(key, file);
			return [];
		}
		return [`${file}:1 has the same name as ${other}: give each a more specific name`];
	});
}

/**
 * Whether a file may share its name with another file, as index files, commands, wire conversions and files for one
 * language may.
 */
function mayRepeat(file: string): boolean {
	return /^(?:index|from-wire|to-wire)$/.test(baseOf(file)) || /\/commands\//.test(file) || isPerLanguage(file);
}

/**
 * Finds source files of fewer than 60 lines that only one other file imports. Such a file belongs in its importer.
 * Imports by tests do not count. Files that an index exports, commands, wire conversions and files for one language are
 * exempt. The table lists all other exceptions, and must not list any that is no longer needed.
 */
export function findFragments(tree: Tree, exempt: Readonly<Record<string, string>> = FRAGMENTS): string[] {
	const graph = importGraphOf(tree);
	const importers = new Map<string, Set<string>>();
	for (const [file, targets] of graph) {
		for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
	}
	const found = new Map<string, string>();
	for (const [file, from] of importers) {
		const [importer] = from;
		if (from.size !== 1 || importer === undefined || baseOf(importer) === "index") continue;
		if (!file.includes("/src/") || mayRepeat(file)) continue;
		const lines = (tree[file] ?? "").trimEnd().split("\n").length;
		if (lines < FRAGMENT_LINES) found.set(file, `${lines} lines and one importer, ${importer}`);
	}
	return [
		...[...found].flatMap(([file, what]) => {
			if (exempt[file] !== undefined) return [];
			return [`${file}:1 has ${what}: merge it into that file, or list it with a reason in tidy/structure.ts`];
		}),
		...Object.keys(exempt).flatMap((file) => {
			if (found.has(file)) return [];
			return [`tidy/structure.ts:1 lists ${file}, which is no longer a fragment: remove the entry`];
		}),
	];
}

/** Finds files that import each other, directly or indirectly. Type imports count too. */
export function findImportCycles(tree: Tree): string[] {
	const graph = importGraphOf(tree);
	return componentsOf(graph).flatMap((component) => {
		const [start] = component;
		if (component.length < 2 || start === undefined) return [];
		const cycle = shortestCycle(graph, start, new Set(component));
		const others = component.length + 1 - cycle.length;
		const more = others > 0 ? `, and ${others} more files are in cycles with these` : "";
		return [`${start}:1 is in an import cycle, ${cycle.join(" → ")}${more}: move what they share to a third file`];
	});
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Returns, for each source file, the source files that it imports by path or by package name. */
function importGraphOf(tree: Tree): Graph {
	const packages = packagesOf(tree);
	return new Map(
		Object.entries(tree).flatMap(([file, text]): [string, readonly string[]][] => {
			if (!isSource(file)) return [];
			const targets = importsOf(text).map(({ specifier }) => targetOf(tree, packages, file, specifier));
			const known = targets.filter((target) => target !== undefined && target !== file) as string[];
			return [[file, [...new Set(known)]]];
		}),
	);
}

/** Returns the source file that an import leads to. Undefined for other imports. */
function targetOf(tree: Tree, packages: readonly Package[], file: string, specifier: string): string | undefined {
	if (specifier.startsWith(".")) return sourceAt(tree, path.posix.join(path.posix.dirname(file), specifier));
	const { name, subpath } = splitSpecifier(specifier);
	const target = packages.find(({ manifest }) => manifest.name === name);
	if (target === undefined) return undefined;
	const exact = target.manifest.exports?.[subpath];
	const found = exact ?? target.manifest.exports?.["./*"];
	const source = typeof found === "object" ? found["@segue/source"] : found;
	if (typeof source !== "string") return undefined;
	return sourceAt(tree, path.posix.join(target.folder, source.replace("*", subpath.slice("./".length))));
}

/** Imports name the compiled file; the source has another extension. */
function sourceAt(tree: Tree, file: string): string | undefined {
	const stem = file.replace(/\.[jt]sx?$/, "");
	return [file, `${stem}.ts`, `${stem}.tsx`].find((each) => tree[each] !== undefined && isSource(each));
}

/**
 * Returns the strongly connected components of a graph, by Tarjan's algorithm, with an explicit stack instead of
 * recursion.
 */
function componentsOf(graph: Graph): string[][] {
	const components: string[][] = [];
	const indices = new Map<string, number>();
	const lowest = new Map<string, number>();
	const open: string[] = [];
	const isOpen = new Set<string>();
	const lower = (file: string, index: number) => lowest.set(file, Math.min(lowest.get(file) ?? index, index));
	for (const root of graph.keys()) {
		if (indices.has(root)) continue;
		const path: { readonly file: string; readonly rest: string[] }[] = [];
		const enter = (file: string) => {
			indices.set(file, indices.size);
			lower(file, indices.size - 1);
			open.push(file);
			isOpen.add(file);
			path.push({ file, rest: [...(graph.get(file) ?? [])] });
		};
		enter(root);
		for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
			const { file, rest } = last;
			const next = rest.pop();
			if (next !== undefined) {
				const index = indices.get(next);
				if (index === undefined) enter(next);
				else if (isOpen.has(next)) lower(file, index);
				continue;
			}
			path.pop();
			const above = path.at(-1);
			if (above !== undefined) lower(above.file, lowest.get(file) ?? 0);
			if (lowest.get(file) !== indices.get(file)) continue;
			const component = open.splice(open.indexOf(file));
			for (const each of component) isOpen.delete(each);
			components.push(component);
		}
	}
	return components;
}

/** Returns the shortest path from a file back to itself within a component, including both ends. */
function shortestCycle(graph: Graph, start: string, component: ReadonlySet<string>): string[] {
	const before = new Map<string, string>();
	const queue = [start];
	for (const file of queue) {
		for (const next of graph.get(file) ?? []) {
			if (next === start) {
				const way = [start];
				for (let at: string | undefined = file; at !== undefined && at !== start; at = before.get(at)) way.unshift(at);
				return [start, ...way];
			}
			if (!component.has(next) || before.has(next)) continue;
			before.set(next, file);
			queue.push(next);
		}
	}
	throw new Error(`${start} is not in a cycle`);
}
