import type { Document } from "@segue/text";
import {
	ESCAPED,
	type ImportSyntax,
	joinPath,
	type Language,
	parentOf,
	relativePath,
	SLASHES,
	STARS,
	topOf,
} from "./language.js";
import { type Hole, type Literal, quoted, region, syntax, wordSet } from "./syntax.js";

// Keywords and built-in type names. Contextual keywords (`of`, `type`, `get`) are not included.
const JAVASCRIPT_KEYWORDS = `async await break case catch class const continue debugger default delete do else enum export
	extends false finally for function if import in instanceof let new null return static super switch this throw true
	try typeof undefined var void while with yield`;

const TYPESCRIPT_KEYWORDS = `${JAVASCRIPT_KEYWORDS} abstract any as asserts bigint boolean declare implements infer interface keyof
	namespace never number private protected public readonly satisfies string symbol unique unknown`;

const DOLLAR_BRACES: Hole = { open: /\$\{/y, ends: ["{", "}"] };

export const REGEX: Literal = {
	kind: "string",
	signs: "/",
	pattern: /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]|[^/\\[\r\n])+\/[a-z]*/y,
	isValue: true,
	isLong: true,
};

const SCRIPT = {
	openings: [
		{ kind: "comment", signs: "#", pattern: /(?<![^\r\n])#![^\r\n]*/y },
		SLASHES,
		STARS,
		REGEX,
		quoted('"', ESCAPED),
		quoted("'", ESCAPED),
		region(/`/y, "`", { ends: ["", "`"], skip: ESCAPED, hole: DOLLAR_BRACES, special: "\\$" }),
	],
	keywords: JAVASCRIPT_KEYWORDS,
	beforeValue: "await case default delete do else extends in instanceof new of return throw typeof void yield",
} as const;

// Attribute values have no escapes and may span lines.
const WITH_MARKUP = {
	attributes: [region(/"/y, '"', { ends: ["", '"'] }), region(/'/y, "'", { ends: ["", "'"] }), SLASHES, STARS],
} as const;

const TYPED_SCRIPT = { ...SCRIPT, keywords: TYPESCRIPT_KEYWORDS };

export const SCRIPT_IMPORTS: ImportSyntax = {
	forms: [
		["type", /^import\s+type\s*\{(?<names>[^{}]*)\}\s*from\s*["'](?<module>[^"']+)["']/d],
		["named", /^import\s*\{(?<names>[^{}]*)\}\s*from\s*["'](?<module>[^"']+)["']/d],
		["default", /^import\s+(?<names>[\w$]+)\s+from\s*["'](?<module>[^"']+)["']/d],
	],
	module: /\bfrom\s*["']([^"']+)["']/,
	write: (name, { module, form }, { isSingleQuoted, hasSemicolons, hasTypes }) => {
		const quotedModule = isSingleQuoted ? `'${module}'` : `"${module}"`;
		const what = form === "default" ? name : form === "type" && hasTypes ? `type { ${name} }` : `{ ${name} }`;
		return `import ${what} from ${quotedModule}${hasSemicolons ? ";" : ""}`;
	},
	moduleOf: scriptModule,
	isModule: (module, uri, file) => {
		if (!module.startsWith(".")) return false;
		const named = joinPath(parentOf(uri), module.split("/")).replace(EXTENSION, "");
		const path = file.replace(EXTENSION, "");
		return path === named || path === `${named}/index`;
	},
	exports:
		/^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|const|enum|function\*?|interface|let|type|var)\s+$/,
	builtins: /* @__PURE__ */ wordSet(`AbortController AbortSignal Array ArrayBuffer Awaited BigInt Blob Boolean Buffer
		CSS CustomEvent DataView Date
		Document DOMException Element Error Event EventTarget Exclude Extract File FileReader FormData Function Headers History
		HTMLElement Image Infinity InstanceType IntersectionObserver Intl Iterable Iterator JSON JSX KeyboardEvent Location Map Math
		MessageChannel MouseEvent MutationObserver NaN Node NodeJS NonNullable Notification Number Object Omit Parameters Partial Pick
		Promise Proxy RangeError React Readonly ReadonlyArray ReadonlyMap ReadonlySet Record ReferenceError Reflect RegExp Request
		Required ResizeObserver Response ReturnType Selection Set SharedArrayBuffer Storage String Symbol SyntaxError TextDecoder
		TextEncoder TypeError URL URLSearchParams Uint8Array WeakMap WeakRef WeakSet WebSocket Window Worker afterAll afterEach alert
		atob beforeAll beforeEach btoa cancelAnimationFrame clearInterval clearTimeout confirm console crypto describe document expect
		exports fetch global globalThis history isFinite isNaN jest localStorage location module name navigator parseFloat parseInt
		performance process prompt queueMicrotask requestAnimationFrame require screen self sessionStorage setImmediate setInterval
		setTimeout structuredClone test undefined window`),
};

const EXTENSION = /(?:\.d)?\.[cm]?[jt]sx?$/;

/** The path relative to a document's folder, with an extension if the document's other imports have one. */
function scriptModule(other: Document, document: Document): string {
	const ending = /\bfrom\s+["']\.[^"']*(\.[cm]?[jt]sx?)["']/.exec(topOf(document))?.[1];
	const path = relativePath(other.uri, document.uri);
	const bare = path.replace(EXTENSION, "");
	if (ending === undefined) return bare.replace(/\/index$/, "") || ".";
	const own = /\.[cm]?[jt]sx?$/.exec(path)?.[0] ?? "";
	return bare + (/ts/.test(ending) ? own : own.replace("ts", "js"));
}

const COMMON = { hasNoSentences: true, hasNoPointers: true, family: "script" } as const;

export const JAVASCRIPT: readonly Language[] = [
	{ ids: ["javascript", "javascriptreact"], syntax: syntax({ ...SCRIPT, ...WITH_MARKUP }), ...COMMON },
	{ ids: ["typescript"], syntax: syntax(TYPED_SCRIPT), ...COMMON },
	{ ids: ["typescriptreact"], syntax: syntax({ ...TYPED_SCRIPT, ...WITH_MARKUP }), ...COMMON },
];
