import path from "node:path";
import { lineAt, type Tree } from "./tree.js";

/** Finds links in Markdown files to missing files or headings. */
export function findBrokenLinks(tree: Tree): string[] {
	const folders = new Set(Object.keys(tree).flatMap(foldersAbove));
	return Object.entries(tree).flatMap(([file, source]) => {
		if (!file.endsWith(".md")) return [];
		return linksOf(source).flatMap(({ target, line }) => {
			const [linked = "", anchor] = target.split("#");
			const reached = linked === "" ? file : resolve(file, linked);
			const where = `${file}:${line} links to ${target}`;
			const text = tree[reached];
			if (text === undefined) {
				if (folders.has(reached)) return [];
				return [`${where}, but ${reached} does not exist: correct the path or remove the link`];
			}
			if (anchor === undefined || hasAnchor(reached, text, decodeURIComponent(anchor))) return [];
			return [`${where}, but ${reached} has no heading for #${anchor}: correct the anchor or the heading`];
		});
	});
}

// Each pattern captures the target in its first or second group.
const INLINE = /\]\(\s*(?:<([^>\n]*)>|((?:[^\s()]|\([^\s()]*\))+))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:[ \t]*(?:<([^>\n]*)>|(\S+))/gm;
const HTML = /<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)=(?:"([^"]*)"|'([^']*)')/gi;
/** Links with a scheme or a host, which cannot be checked without network access. */
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:|^\/\//i;

function linksOf(source: string): { target: string; line: number }[] {
	const text = withoutCode(source);
	const links = [INLINE, DEFINITION, HTML].flatMap((pattern) =>
		Array.from(text.matchAll(pattern), ({ index, 1: one, 2: other }) => ({ target: one ?? other ?? "", index })),
	);
	return links
		.filter(({ target }) => !ELSEWHERE.test(target))
		.map(({ target, index }) => ({ target, line: lineAt(text, index) }));
}

/** Blanks out code and comments, which contain no links. Line numbers stay the same. */
function withoutCode(source: string): string {
	return withoutFences(source)
		.replace(/<!--.*?-->/gs, blank)
		.replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)/gs, blank);
}

function withoutFences(source: string): string {
	let fence: string | undefined;
	const lines = source.split("\n").map((line) => {
		const [, mark] = /^[ >]*(?:[-*+] +|\d+\. +)?(`{3,}|~{3,})/.exec(line) ?? [];
		const isInside = fence !== undefined;
		if (fence === undefined) fence = mark;
		else if (mark?.startsWith(fence)) fence = undefined;
		return isInside || mark !== undefined ? blank(line) : line;
	});
	return lines.join("\n");
}

function blank(code: string): string {
	return code.replace(/[^\n]/g, " ");
}

/**
 * Returns the path that a link refers to, relative to the root of the tree. As on code hosts, a leading slash means the
 * root.
 */
function resolve(file: string, linked: string): string {
	const from = linked.startsWith("/") ? "." : path.posix.dirname(file);
	return path.posix.join(from, decodeURIComponent(linked)).replace(/(?<=.)\/$/, "");
}

function foldersAbove(file: string): string[] {
	const parts = file.split("/");
	return [".", ...parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"))];
}

function hasAnchor(file: string, text: string, anchor: string): boolean {
	// On code hosts, the anchors of other files are line numbers.
	return file.endsWith(".md") ? anchorsOf(text).has(anchor) : /^L\d+(?:-L\d+)?$/.test(anchor);
}

function anchorsOf(source: string): ReadonlySet<string> {
	const text = withoutFences(source);
	const ids = Array.from(text.matchAll(/<\w+[^>]*?\s(?:id|name)=["']([^"']+)["']/g), ([, id = ""]) => id);
	const seen = new Map<string, number>();
	const headings = Array.from(text.matchAll(/^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm), ([, heading = ""]) => {
		const slug = slugOf(heading);
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		return count === 0 ? slug : `${slug}-${count}`;
	});
	return new Set([...ids, ...headings]);
}

/** Returns the anchor of a heading on code hosts: in lower case, without punctuation, with hyphens for spaces. */
function slugOf(heading: string): string {
	return heading
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/<[^>]*>/g, "")
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
		.replaceAll(" ", "-");
}
