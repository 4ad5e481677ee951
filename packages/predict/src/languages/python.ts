import type { Document } from "@segue/text";
import {
	ESCAPED,
	HASH,
	type ImportSyntax,
	joinPath,
	type Language,
	parentOf,
	relativePath,
	topOf,
} from "./language.js";
import { type Hole, type Region, region, syntax, wordSet } from "./syntax.js";

const KEYWORDS = `False None True and as assert async await break class continue def del elif else except finally for
	from global if import in is lambda nonlocal not or pass raise return self try while with yield`;

const BRACES: Hole = { open: /\{/y, ends: ["{", "}"] };

const SYNTAX = syntax({
	openings: [HASH, ...["", "(?:[rbu]|br|rb)", "(?:[ft]|[ft]r|r[ft])"].flatMap(pythonStrings)],
	keywords: KEYWORDS,
});

/** The strings with a prefix. In formatted strings, braces contain code, and doubled ones are literal. */
function pythonStrings(prefix: string): Region[] {
	const hasHoles = prefix.includes("f");
	const signs = prefix === "" ? "\"'" : "";
	const rest = hasHoles
		? { skip: /\\(?:\r\n|[^{}])|\{\{/y, hole: { ...BRACES, hasNoComments: true }, special: "\\{" }
		: { skip: ESCAPED, special: "\\" };
	const ends = ([, quotes = ""]: RegExpExecArray) => ["", quotes] as const;
	return [
		region(new RegExp(`${prefix}("""|''')`, "iy"), signs, { ends, ...rest }),
		region(new RegExp(`${prefix}(["'])`, "iy"), signs, { ends, isOneLine: true, ...rest }),
	];
}

export const PYTHON: Language = {
	ids: ["python"],
	syntax: SYNTAX,
	isIndented: true,
	hasNoDeclarations: true,
	hasNoSentences: true,
	hasNoPointers: true,
	family: "python",
};

export const PYTHON_IMPORTS: ImportSyntax = {
	forms: [
		["named", /^from\s+(?<module>[\w.]+)\s+import\s+\(?(?<names>[\w\s,]+)\)?/d],
		["whole", /^import\s+(?<module>(?<names>[\w.]+))\s*$/d],
	],
	module: /^\s*from\s+([\w.]+)\s+import\b/,
	write: (name, { module, form }) => (form === "named" ? `from ${module} import ${name}` : undefined),
	moduleOf: pythonModule,
	isModule: isPythonModule,
	exports: /^(?:class|(?:async\s+)?def)\s+$|^$/,
	builtins: /* @__PURE__ */ wordSet(`ArithmeticError AssertionError AttributeError BaseException
		Ellipsis EOFError Exception FileExistsError
		FileNotFoundError ImportError IndexError IOError KeyboardInterrupt KeyError LookupError MemoryError ModuleNotFoundError
		NameError NotImplemented NotImplementedError OSError OverflowError PermissionError RecursionError RuntimeError StopIteration
		SyntaxError SystemExit TimeoutError TypeError UnicodeDecodeError UnicodeError ValueError Warning ZeroDivisionError abs aiter
		all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod cls compile complex delattr dict dir divmod
		enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex input int isinstance issubclass
		iter len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round self
		set setattr slice sorted staticmethod str sum super tuple type vars zip`),
};

/**
 * Returns the module name of another file: relative if the document has relative imports, otherwise only for a file in
 * the same folder.
 */
function pythonModule(other: Document, document: Document): string | undefined {
	const [name, ...folders] = relativePath(other.uri, document.uri).split("/").toReversed();
	const up = folders.filter((one) => one === "..").length;
	const down = folders.filter((one) => one !== ".." && one !== ".").toReversed();
	const module = [...down, ...(name === "__init__.py" ? [] : [name?.replace(/\.pyi?$/, "") ?? ""])].join(".");
	const isRelative = /^from\s+\./m.test(topOf(document));
	if (isRelative) return ".".repeat(up + 1) + module;
	return up === 0 && down.length === 0 && module !== "" ? module : undefined;
}

/** Resolves a relative module from the document's folder, and an absolute one from any folder above it or its `src`. */
function isPythonModule(module: string, uri: string, file: string): boolean {
	const dots = /^\.*/.exec(module)?.[0].length ?? 0;
	const names = module
		.slice(dots)
		.split(".")
		.filter((name) => name !== "");
	const own = file.replace(/\.pyi?$/, "").replace(/\/__init__$/, "");
	if (dots > 0) return own === joinPath(parentOf(uri), [...Array<string>(dots - 1).fill(".."), ...names]);
	const path = `/${names.join("/")}`;
	if (!own.endsWith(path)) return false;
	const root = own.slice(0, -path.length).replace(/\/src$/, "");
	return parentOf(uri) === root || uri.startsWith(`${root}/`);
}
