import { inProcessOutliner } from "@segue/testing/players/outlines";
import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { proposeCalls } from "../rules/calls.js";
import { proposeJumps } from "../rules/jump.js";
import { proposeRename } from "../rules/rename.js";
import { Search } from "../search/search.js";
import { isImportedFrom } from "./symbol-meaning.js";

const outliner = await inProcessOutliner();
const rename = storiesOn(() => new PredictorPlayer(proposeRename, {}, outliner.outlines()));
const jump = storiesOn(() => new PredictorPlayer(proposeJumps, {}, outliner.outlines()));
const calls = storiesOn(() => new PredictorPlayer(proposeCalls, {}, outliner.outlines()));

describe("a rename with an outline", () => {
	rename(
		"skips an arrow function that has a parameter with that name",
		`
		--- user
		const ‹item→entry▮› = first()
		list.map((item) => item.id)
		show(item)
		--- suggests (Renaming \`item\` to \`entry\`: 1 more in this file)
		const entry = first()
		list.map((item) => item.id)
		show(‹item→entry▮›)
	`,
	);

	rename(
		"does not mistake a typed parameter for a key",
		`
		--- user
		function load(
		⇥‹name→label▮›: string,
		⇥size = name.length,
		) {}
		const name = 1
		--- suggests (Renaming \`name\` to \`label\`: 1 more in this file)
		function load(
		⇥label: string,
		⇥size = ‹name→label▮›.length,
		) {}
		const name = 1
	`,
	);

	rename(
		"skips keys and members",
		`
		--- user
		const ‹size→width▮› = 1
		make({ size: 2 })
		box.size = 3
		make({ large: size })
		--- suggests (Renaming \`size\` to \`width\`: 1 more in this file)
		const width = 1
		make({ size: 2 })
		box.size = 3
		make({ large: ‹size→width▮› })
	`,
	);

	rename(
		"skips named arguments",
		`
		--- user main.py
		‹limit→maximum▮› = 3
		fetch(limit=10)
		fetch(limit=limit)
		--- suggests (Renaming \`limit\` to \`maximum\`: 1 more in this file)
		maximum = 3
		fetch(limit=10)
		fetch(limit=‹limit→maximum▮›)
	`,
	);

	rename(
		"follows a destructured variable",
		`
		--- user
		const { id: ‹key→name▮› } = item
		const other = { key: 1 }
		show(key)
		--- suggests (Renaming \`key\` to \`name\`: 1 more in this file)
		const { id: name } = item
		const other = { key: 1 }
		show(‹key→name▮›)
	`,
	);

	rename(
		"stays in the variable's function if other functions have a variable with that name",
		`
		--- user main.go
		func a() {
		⇥‹total→sum▮› := 1
		⇥show(total)
		}
		func b() {
		⇥total := 2
		⇥show(total)
		}
		--- suggests (Renaming \`total\` to \`sum\`: 1 more in this file)
		func a() {
		⇥sum := 1
		⇥show(‹total→sum▮›)
		}
		func b() {
		⇥total := 2
		⇥show(total)
		}
	`,
	);

	rename(
		"ends where the variable is shadowed",
		`
		--- user main.rs
		fn f() {
		    let ‹text→line▮› = read();
		    let text = text.trim();
		    show(text);
		}
		--- suggests (Renaming \`text\` to \`line\`: 1 more in this file)
		fn f() {
		    let line = read();
		    let text = ‹text→line▮›.trim();
		    show(text);
		}
	`,
	);

	rename(
		"suggests nothing where the new name is already declared",
		`
		--- user
		const ‹first→entry▮› = 1
		function f(entry) {
		⇥show(first)
		}
		--- suggests nothing (nothing-found)
	`,
	);

	rename(
		"ignores another symbol with the new name elsewhere",
		`
		--- user
		function f(‹req→request▮›) {
		⇥show(req)
		}
		function g(request) {
		⇥show(request)
		}
		--- suggests (Renaming \`req\` to \`request\`: 1 more in this file)
		function f(request) {
		⇥show(‹req→request▮›)
		}
		function g(request) {
		⇥show(request)
		}
	`,
	);

	rename(
		"stays in the symbol's file if the symbol is not exported",
		`
		--- user other.ts
		show(cache▮)
		--- user main.ts
		import { show } from "./show"
		const ‹cache→store▮› = 1
		export const other = 2
		--- suggests nothing (nothing-found)
	`,
	);

	rename(
		"continues in other files if the symbol is exported",
		`
		--- user other.ts
		import { cache } from "./main"▮
		--- user main.ts
		export const ‹cache→store▮› = 1
		--- suggests other.ts (Renaming \`cache\` to \`store\`: 1 more in \`other.ts\`)
		import { ‹cache→store▮› } from "./main"
	`,
	);

	rename(
		"skips a method of another C++ class, even if it is defined outside that class",
		`
		--- user main.cpp
		struct Circle { void draw(); };
		struct Square { void draw(); };
		void Circle::‹draw→paint▮›() {}
		void Square::draw() {}
		--- suggests nothing (nothing-found)
	`,
	);
});

describe("a jump after a changed declaration", () => {
	jump(
		"skips another variable with that name",
		`
		--- editor can jump
		--- user
		const item = ‹→await ▮›first()
		list.map((item) => item)
		show(item)
		--- suggests jump main.ts
		const item = await first()
		list.map((item) => item)
		show(▮item)
	`,
	);
});

describe("calls to a function with changed parameters", () => {
	calls(
		"exclude calls to a parameter with that name",
		`
		--- user
		function send(text‹→, to▮›) {}
		const to = 1
		function f(send) {
		⇥send("a")
		}
		send("b")
		--- suggests (\`send\` now takes \`to\`: 1 call left in this file)
		function send(text, to) {}
		const to = 1
		function f(send) {
		⇥send("a")
		}
		send("b"‹→, to▮›)
	`,
	);

	calls(
		"get a variable as an argument only where it is declared",
		`
		--- user
		function send(text‹→, to▮›) {}
		function f(to) {}
		function g() {
		⇥send("b")
		}
		--- suggests nothing (nothing-found)
	`,
	);
});

test.for([
	["typescript", "src/main.ts", 'import { name } from "./lib/home";', "src/lib/home.ts", true],
	["typescript", "src/main.ts", 'import { name } from "./lib/home.js";', "src/lib/home.ts", true],
	["typescript", "src/main.ts", 'import all, {\n\tname,\n} from "./lib";', "src/lib/index.ts", true],
	["typescript", "test/a.ts", 'import type { name } from "../src/home";', "src/home.d.ts", true],
	["typescript", "src/index.ts", 'export { name } from "./home";', "src/home.ts", true],
	["typescript", "src/main.ts", 'import { name } from "./home";', "other/home.ts", false],
	["typescript", "src/main.ts", 'import { name } from "home";', "src/home.ts", false],
	["typescript", "src/main.ts", 'import { other } from "./home";\nname();', "src/home.ts", false],
	["python", "main.py", "from store import name", "store.py", true],
	["python", "tests/test_a.py", "from pack.store import (\n    name,\n)", "src/pack/store.py", true],
	["python", "pack/sub/a.py", "from ..store import name", "pack/store.py", true],
	["python", "pack/a.py", "from . import name", "pack/__init__.py", true],
	["python", "pack/a.py", "from .store import name", "store.py", false],
	["python", "one/a.py", "from store import name", "two/store.py", false],
	["rust", "src/main.rs", "use crate::shapes::name;", "src/shapes.rs", true],
	["rust", "src/shapes/a.rs", "use super::{b, name};", "src/shapes/mod.rs", true],
	["rust", "src/main.rs", "use other::shapes::name;", "src/shapes.rs", false],
	["go", "pkg/a.go", "name()", "pkg/b.go", true],
	["go", "pkg/a.go", "name()", "other/b.go", false],
	["java", "A.java", "import b.name;", "b/name.java", false],
] as const)(
	"in %s, determines whether %s, containing %j, gets a name from %s",
	([languageId, path, source, home, isFrom]) => {
		const uri = (name: string) => `file:///work/${name}`;
		const document = { uri: uri(path), languageId, version: 0, text: Text.of(source) };
		expect(isImportedFrom(document, new Search("name"), [uri(home)])).toBe(isFrom);
	},
);
