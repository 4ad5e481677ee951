import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { Icon } from "../widgets/icon.js";
import type { DiskFolder } from "./disk-folder.js";

// A folder with at most this many files starts expanded, because its tree is not much longer than the window.
const UNFOLDED_MAX = 40;

/** The files in the opened folder as a tree. Samples don't need it, because all of their files are in tabs. */
export function Explorer({ playground }: { playground: Playground }) {
	const folder = playground.bench.project.value?.folder;
	if (folder === undefined) return null;
	return (
		<section class="explorer" id="explorer" aria-label="Explorer">
			<h2>
				<span title={folder.path}>{folder.name}</span>
				<button
					type="button"
					class="quiet"
					aria-label="Refresh the Explorer"
					title="Refresh"
					onClick={() => void playground.files.refresh()}
				>
					<Icon name="refresh" />
				</button>
			</h2>
			<FileTree key={folder.root} folder={folder} playground={playground} />
		</section>
	);
}

function FileTree({ folder, playground }: { folder: DiskFolder; playground: Playground }) {
	const id = useId();
	const list = useRef<HTMLDivElement>(null);
	const { tabs, active } = playground.bench;
	const paths = folder.paths.value;
	const tree = useMemo(() => fileTreeOf(paths), [paths]);
	const unfolded = useSignal<ReadonlySet<string>>(new Set(paths.length <= UNFOLDED_MAX ? foldersOf(paths) : []));
	/** The path of the row that keys act on. */
	const current = useSignal<string | undefined>(undefined);
	const shown = tabs.value.find(({ uri }) => uri === active.value)?.path;
	const rows = rowsOf(tree, unfolded.value);
	useEffect(() => {
		if (shown === undefined) return;
		unfolded.value = new Set([...unfolded.value, ...foldersOf([shown])]);
		if (paths.includes(shown)) current.value = shown;
	}, [shown]);
	const at = indexOfRow(rows, current.value);
	const currentPath = rows[at]?.path;
	useEffect(() => {
		list.current?.querySelector(".current")?.scrollIntoView({ block: "nearest" });
	}, [currentPath]);
	const fold = (path: string, isUnfolded: boolean) => {
		const without = [...unfolded.value].filter((each) => each !== path);
		unfolded.value = new Set(isUnfolded ? [...without, path] : without);
	};
	const choose = (row: TreeRow) => {
		if (row.isFolder) fold(row.path, !unfolded.value.has(row.path));
		else void playground.files.open(row.path);
	};
	const press = (event: KeyboardEvent) => {
		const row = rows[at];
		if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
		const next = rowAfter(rows, at, event.key, unfolded.value);
		if (typeof next === "number") current.value = rows[next]?.path;
		else if (next !== undefined) fold(row.path, next === "unfold");
		else if (event.key === "Enter" || event.key === " ") choose(row);
		else return;
		event.preventDefault();
	};
	const unsaved = new Set(tabs.value.filter(({ isDirty }) => isDirty).map(({ path }) => path));
	if (rows.length === 0) return <p class="remark">This folder has no files.</p>;
	return (
		<>
			<div
				class="tree"
				role="tree"
				aria-label={`Files in ${folder.name}`}
				ref={list}
				tabIndex={0}
				aria-activedescendant={`${id}-${at}`}
				onKeyDown={press}
			>
				{rows.map((row, i) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys of its rows.
					<div
						key={row.path}
						id={`${id}-${i}`}
						role="treeitem"
						tabIndex={-1}
						aria-level={row.depth + 1}
						aria-expanded={row.isFolder ? unfolded.value.has(row.path) : undefined}
						aria-selected={row.path === shown}
						class={i === at ? "current" : undefined}
						style={{ "--depth": row.depth }}
						title={row.path}
						onMouseDown={(event) => {
							// A click would focus the row, but the tree handles the keys.
							event.preventDefault();
							list.current?.focus({ preventScroll: true });
						}}
						onClick={() => {
							current.value = row.path;
							choose(row);
						}}
					>
						<Icon name={row.isFolder ? "chevron" : "file"} />
						<span>{row.name}</span>
						{unsaved.has(row.path) && <span class="unsaved" role="img" aria-label="unsaved" />}
					</div>
				))}
			</div>
			{folder.isCut.value && <p class="remark">Only the first {paths.length} files are listed.</p>}
		</>
	);
}

interface FileNode {
	readonly name: string;
	/** Relative to the opened folder. */
	readonly path: string;
	/** Undefined for a file. */
	readonly children?: readonly FileNode[];
}

/** Builds a tree from file paths. Folders come before files, and names are in alphabetical order. */
export function fileTreeOf(paths: readonly string[], above = ""): readonly FileNode[] {
	const folders = new Map<string, string[]>();
	const files: FileNode[] = [];
	for (const path of paths) {
		const end = path.indexOf("/", above.length);
		if (end < 0) files.push({ name: path.slice(above.length), path });
		else {
			const name = path.slice(above.length, end);
			const known = folders.get(name);
			if (known === undefined) folders.set(name, [path]);
			else known.push(path);
		}
	}
	const nested = [...folders].map(([name, inside]) => {
		const path = above + name;
		return { name, path, children: fileTreeOf(inside, `${path}/`) };
	});
	const inOrder = (a: FileNode, b: FileNode) => ORDER.compare(a.name, b.name);
	return [...nested.sort(inOrder), ...files.sort(inOrder)];
}

const ORDER = new Intl.Collator("en", { numeric: true });

/** Returns every folder that contains one of the paths. */
function foldersOf(paths: readonly string[]): readonly string[] {
	const found = new Set<string>();
	for (const path of paths) {
		for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) found.add(path.slice(0, end));
	}
	return [...found];
}

interface TreeRow {
	readonly name: string;
	readonly path: string;
	readonly depth: number;
	readonly isFolder: boolean;
}

function rowsOf(nodes: readonly FileNode[], unfolded: ReadonlySet<string>, depth = 0): readonly TreeRow[] {
	return nodes.flatMap(({ name, path, children }) => {
		const inside = children !== undefined && unfolded.has(path) ? rowsOf(children, unfolded, depth + 1) : [];
		return [{ name, path, depth, isFolder: children !== undefined }, ...inside];
	});
}

/**
 * Returns the index of the row with this path. If there is none, because the file was deleted or its folder is
 * collapsed, returns the nearest folder above it that has a row, or else the first row.
 */
export function indexOfRow(rows: readonly Pick<TreeRow, "path">[], path = ""): number {
	const at = rows.findIndex((row) => row.path === path);
	if (at >= 0 || path === "") return Math.max(0, at);
	return indexOfRow(rows, path.slice(0, Math.max(0, path.lastIndexOf("/"))));
}

// About as many rows as are visible.
const PAGE = 10;

/**
 * Returns the row that a key moves to, or whether the key collapses or expands the row; undefined for other keys. Uses
 * the keys that WAI-ARIA specifies for trees.
 */
function rowAfter(
	rows: readonly TreeRow[],
	at: number,
	key: string,
	unfolded: ReadonlySet<string>,
): number | "fold" | "unfold" | undefined {
	const row = rows[at];
	const by = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -rows.length, End: rows.length }[key];
	if (row === undefined) return undefined;
	if (by !== undefined) return Math.max(0, Math.min(rows.length - 1, at + by));
	const isUnfolded = row.isFolder && unfolded.has(row.path);
	if (key === "ArrowRight") return row.isFolder && !isUnfolded ? "unfold" : Math.min(rows.length - 1, at + 1);
	if (key === "ArrowLeft") {
		if (isUnfolded) return "fold";
		const parent = rows.findLastIndex(({ depth }, i) => i < at && depth < row.depth);
		return parent < 0 ? at : parent;
	}
	if (key.length !== 1 || key === " ") return undefined;
	// A letter moves to the next name that starts with it.
	const order = [...rows.keys()].map((i) => (at + 1 + i) % rows.length);
	return order.find((i) => rows[i]?.name.toLowerCase().startsWith(key.toLowerCase()));
}
