import { CPP } from "./cpp.js";
import { CSHARP } from "./csharp.js";
import { GO } from "./go.js";
import type { Grammar } from "./grammar.js";
import { JAVA } from "./java.js";
import { JAVASCRIPT, TSX, TYPESCRIPT } from "./javascript.js";
import { PHP } from "./php.js";
import { PYTHON } from "./python.js";
import { RUBY } from "./ruby.js";
import { RUST } from "./rust.js";

/** The grammars by language id. */
export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
	["typescript", TYPESCRIPT],
	["typescriptreact", TSX],
	["javascript", JAVASCRIPT],
	["javascriptreact", JAVASCRIPT],
	["python", PYTHON],
	["rust", RUST],
	["go", GO],
	["java", JAVA],
	["c", CPP],
	["cpp", CPP],
	["csharp", CSHARP],
	["ruby", RUBY],
	["php", PHP],
]);
