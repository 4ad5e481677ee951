import { lineAt, type Tree } from "./tree.js";

/** Phrases that technical English does not use, each with advice on what to use instead. STYLE.md has examples. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
	[
		/^(?:What|Who|Whoever|Whose|Of|Those|That which|Whatever)\b(?! is\b.*\?$)(?!.*\?$)/,
		"start with the subject instead of a clause",
	],
	// `nobody` after "by" is a stored value of approvals.
	[/(?<!by[^a-z]{1,3})\b(?:nobody|somebody|anybody)\b/i, "say user, client, agent, caller or server"],
	[/\b(?:one|they|those|he) who\b/i, "say user, client, agent, caller or server"],
	[/\banew\b/i, "say again"],
	[/\bmend(?:s|ed|ing)?\b/i, "say fix"],
	[/\bfor ever\b/i, "say indefinitely, or that it never ends"],
	[/\b(?:is|are|was|were|goes|went|declared|used|called|said|done) otherwise\b|\botherwise than\b/i, "say differently"],
	[/\b(?:is|are|was|were|be) told\b|\btells? of\b|\btold of\b/i, "say is notified, reports or gets"],
	[/\bthat there (?:is|are|were)\b|\bthere (?:is|are) not is\b/i, "say available, existing or known"],
	[/\b(?:is|are) no [a-z]+ (?:that|of)\b/i, "say is not a"],
	[/\bas far as it\b|\ball that (?:it|is|was)\b/i, "say everything, or name the things"],
	// The npm package `segue` belongs to another project. Outside a clone, npx would download it.
	[/(?<!\bclone\b.*)\bnpx segue\b(?!.*\bclone\b)/, "name the clone, the only place where npx starts this Segue"],
	[/\btake that out\b|\bgives? it back\b/i, "say remove or return"],
];

/** The page with examples of what not to write, this rule, and its tests. */
const EXEMPT = new Set(["STYLE.md", "tidy/prose.ts", "tidy/prose.test.ts"]);

/** Finds prose that is not plain English in comments, strings, documents and stories. */
export function findUnclearProse(tree: Tree): string[] {
	return Object.entries(tree).flatMap(([file, text]) => {
		if (EXEMPT.has(file) || file.startsWith("stories/fixtures/")) return [];
		return piecesOf(file, text).flatMap(({ prose, offset }) => {
			const found = PHRASES.filter(([phrase]) => phrase.test(prose));
			return found.map(([, advice]) => `${file}:${lineAt(text, offset)} "${shorten(prose)}": ${advice}`);
		});
	});
}

interface Piece {
	readonly prose: string;
	readonly offset: number;
}

function piecesOf(file: string, text: string): Piece[] {
	if (file.endsWith(".md")) return paragraphsOf(text);
	if (!/\.(?:[cm]?[jt]sx?|lua|el)$/.test(file) || file.endsWith(".d.ts")) return [];
	return [...commentsOf(text), ...stringsOf(text)].filter(({ prose }) => /[a-z]{3}/.test(prose));
}

/**
 * Returns paragraphs, list items, headings and table rows. Fenced code is blanked out, so that offsets stay the same.
 */
function paragraphsOf(text: string): Piece[] {
	const withoutCode = text.replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, " "));
	return Array.from(withoutCode.matchAll(/(?:(?!\n\s*\n|\n[-|#*\d])[\s\S])+/g), ({ 0: found, index }) => {
		const prose = joinLines(found.replace(/^[#>\-*|\s\d.]+/, ""));
		return { prose, offset: index + found.search(/\S|$/) };
	}).filter(({ prose }) => /[a-z]{3}/.test(prose));
}

/** Returns block comments, and each run of consecutive line comments as one piece. */
function commentsOf(text: string): Piece[] {
	const blocks = Array.from(text.matchAll(/\/\*\*?([\s\S]*?)\*\//g), ({ 1: body = "", index }) => {
		return { prose: joinLines(body.replace(/^\s*\*\s?/gm, "")), offset: index };
	});
	const lines = Array.from(text.matchAll(/(?:^[ \t]*(?:\/\/|--|;;).*\n?)+/gm), ({ 0: run, index }) => {
		return { prose: joinLines(run.replace(/^[ \t]*(?:\/\/+|--+|;;+)[ \t]?/gm, "")), offset: index };
	});
	return [...blocks, ...lines];
}

/** Returns string literals of at least two words. */
function stringsOf(text: string): Piece[] {
	const literal = /(["'`])((?:\\.|(?!\1)[^\\\n])*?[A-Za-z]{2,} [a-z]+ (?:\\.|(?!\1)[^\\\n])*)\1/g;
	return Array.from(text.matchAll(literal), ({ 2: prose = "", index }) => ({ prose, offset: index }));
}

function joinLines(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

function shorten(prose: string): string {
	return prose.length <= 60 ? prose : `${prose.slice(0, 60)}…`;
}
