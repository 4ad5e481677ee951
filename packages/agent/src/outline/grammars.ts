import type { Grammar } from "./grammar.js";
import { CPP } from "./grammars/cpp.js";
import { CSHARP } from "./grammars/csharp.js";
import { GO } from "./grammars/go.js";
import { JAVA } from "./grammars/java.js";
import { JAVASCRIPT, TSX, TYPESCRIPT } from "./grammars/javascript.js";
import { PHP } from "./grammars/php.js";
import { PYTHON } from "./grammars/python.js";
import { RUBY } from "./grammars/ruby.js";
import { RUST } from "./grammars/rust.js";

/** The grammars by the language that an editor names. */
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
