import { ESCAPED, type ImportSyntax, type Language, SLASHES } from "./language.js";
import { region, syntax, wordSet } from "./syntax.js";

const KEYWORDS = `Self as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i128
	i16 i32 i64 i8 if impl in isize let loop match mod move mut pub ref return self static str struct super trait true type
	u128 u16 u32 u64 u8 unsafe use usize where while`;

const NESTED_STARS = region(/\/\*/y, "/", { kind: "comment", ends: ["/*", "*/"] });

const SYNTAX = syntax({
	openings: [
		SLASHES,
		NESTED_STARS,
		// A quote before a name starts a lifetime, unless another quote follows the name.
		{ kind: "string", signs: "'", pattern: /'(?:\\(?:u\{\w{1,8}\}|x\w\w|[^\r\n])|[^'\\\r\n])'/uy },
		{ kind: "identifier", signs: "'", pattern: /'[\p{L}_][\p{L}\p{N}\p{M}_]*/uy },
		{ kind: "string", signs: "", pattern: /b'(?:\\(?:x\w\w|[^\r\n])|[^'\\\r\n])'/y },
		{ kind: "identifier", signs: "", pattern: /r#(?=[\p{L}_])[\p{L}\p{N}\p{M}_]+/uy },
		// The limit used by rustc.
		region(/[bc]?r(#{0,255})"/y, "", { ends: ([, signs = ""]) => ["", `"${signs}`] }),
		region(/[bc]"/y, "", { ends: ["", '"'], skip: ESCAPED, special: "\\" }),
		region(/"/y, '"', { ends: ["", '"'], skip: ESCAPED, special: "\\" }),
	],
	keywords: KEYWORDS,
});

export const RUST: Language = {
	ids: ["rust"],
	syntax: SYNTAX,
	hasBareConditions: true,
	hasNamedLiterals: true,
	hasSeparateMethods: true,
	family: "rust",
};

export const RUST_IMPORTS: ImportSyntax = {
	forms: [
		["named", /^use\s+(?<module>[\w:]+)::\{(?<names>[\w\s,]*)\}\s*;/d],
		["named", /^use\s+(?<module>[\w:]+)::(?<names>\w+)\s*;/d],
	],
	module: /^\s*(?:pub(?:\([^()]*\))?\s+)?use\s+([\w:]+?)::(?:\{|\w+\s*(?:as\s+\w+\s*)?;)/,
	write: (name, { module }) => `use ${module}::${name};`,
	moduleOf: (other, document) => rustModule(other.uri, document.uri),
	isModule: (module, uri, file) => rustModule(file, uri) === absoluteRustModule(module, uri),
	exports: /^pub\s+(?:(?:async|const|unsafe)\s+)*(?:const|enum|fn|static|struct|trait|type|union)\s+$/,
	builtins: /* @__PURE__ */ wordSet(`AsMut AsRef Box Clone Copy Debug Default Drop Eq Err Fn FnMut FnOnce From Hash
		Into IntoIterator Iterator None
		Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString Vec drop self std super`),
};

/** The path from the crate's root; undefined unless both files are in the same `src`. */
function rustModule(other: string, own: string): string | undefined {
	const [root, path] = splitAtSource(other);
	if (path === undefined || splitAtSource(own)[0] !== root) return undefined;
	const parts = path.replace(/\.rs$/, "").split("/");
	if (["lib", "main", "mod"].includes(parts.at(-1) ?? "")) parts.pop();
	return ["crate", ...parts].join("::");
}

function splitAtSource(uri: string): [string, string | undefined] {
	const at = uri.lastIndexOf("src/");
	return at === -1 ? [uri, undefined] : [uri.slice(0, at), uri.slice(at + "src/".length)];
}

function absoluteRustModule(module: string, uri: string): string {
	const own = rustModule(uri, uri)?.split("::") ?? [];
	const parts = module.split("::");
	const up = parts.filter((part) => part === "super").length;
	const rest = parts.filter((part) => part !== "super" && part !== "self");
	if (parts[0] !== "super" && parts[0] !== "self") return module;
	return [...own.slice(0, own.length - up), ...rest].join("::");
}
