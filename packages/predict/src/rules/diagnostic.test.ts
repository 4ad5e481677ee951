import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeFixes } from "./diagnostic.js";

const story = storiesOn(() => new PredictorPlayer(proposeFixes));
const diagnosticStory = storiesOn(() => new PredictorPlayer(proposeFixes, { trigger: "diagnostic" }));

describe("an undefined name", () => {
	story(
		"is imported first if its error is the nearer of two",
		`
		--- file sizes.ts
		export const wide = 1
		export const tall = 2
		--- user main.ts
		show(wide)
		     ^^^^ error: Cannot find name 'wide'.
		one()
		show(‹→tall▮›)
		       ^^^^ error: Cannot find name 'tall'.
		--- suggests (\`tall\` is not defined here; it is available from \`./sizes\`)
		‹→import { tall } from "./sizes"

		▮›show(wide)
		one()
		show(tall)
	`,
	);

	story(
		"is not assumed if the message is about something else",
		`
		--- file sizes.ts
		export const wide = 1
		--- user main.ts
		show(‹→wide▮›)
		       ^^^^ error: Cannot find type definition file for 'node'.
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is imported from the file that exports it, in the style of the other imports",
		`
		--- file src/format/date.ts
		export function formatDate() {}
		--- user src/page.ts
		import { a } from './a';

		a(‹→formatDate()▮›);
		    ^^^^^^^^^^ error: Cannot find name 'formatDate'.
		--- suggests (\`formatDate\` is not defined here; it is available from \`./format/date\`)
		import { a } from './a';‹→
		import { formatDate } from './format/date';▮›

		a(formatDate());
	`,
	);

	story(
		"is added to an existing import",
		`
		--- file src/lib/parse.ts
		export const parseAll = 1
		--- user src/app/main.ts
		import { parse } from "../lib/parse.js"
		parse(‹→parseAll▮›)
		        ^^^^^^^^ error: 'parseAll' is not defined.
		--- suggests
		import { parse‹→, parseAll▮› } from "../lib/parse.js"
		parse(parseAll)
	`,
	);

	story(
		"is imported in Python, below the docstring",
		`
		--- file shapes.py
		class Circle:
		    pass
		--- user main.py
		"""Draws."""

		draw(‹→Circle()▮›)
		       ^^^^^^ error: "Circle" is not defined
		--- suggests
		"""Draws."""

		‹→from shapes import Circle

		▮›draw(Circle())
	`,
	);

	story(
		"is imported in Rust from its crate",
		`
		--- file src/net/frame.rs
		pub struct Frame;
		--- user src/main.rs
		use std::io;

		fn main() {
		    let frame = ‹→Frame▮›;
		                  ^^^^^ error: cannot find value \`Frame\` in this scope
		}
		--- suggests
		use std::io;‹→
		use crate::net::frame::Frame;▮›

		fn main() {
		    let frame = Frame;
		}
	`,
	);

	story(
		"is imported from the same module as in another file",
		`
		--- file other.go
		package main

		import (
		⇥"fmt"
		⇥"path/filepath"
		)

		--- user main.go
		package main

		import (
		⇥"fmt"
		)

		func main() {
		⇥fmt.Println(‹→filepath.Base("a")▮›)
		               ^^^^^^^^ error: undefined: filepath
		}

		--- suggests
		package main

		import (
		⇥"fmt"‹→
		⇥"path/filepath"▮›
		)

		func main() {
		⇥fmt.Println(filepath.Base("a"))
		}

	`,
	);

	story(
		"is not imported if two files export it",
		`
		--- file a.ts
		export const limit = 1
		--- file b.ts
		export const limit = 2
		--- user main.ts
		show(‹→limit▮›)
		       ^^^^^ error: Cannot find name 'limit'.
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not imported if no file exports it",
		`
		--- file a.ts
		const limit = 1
		// export const limit
		--- user main.ts
		show(‹→limit▮›)
		       ^^^^^ error: Cannot find name 'limit'.
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not imported if it is a member",
		`
		--- file a.ts
		export const limit = 1
		--- user main.ts
		show(page.‹→limit▮›)
		            ^^^^^ error: Property 'limit' not found.
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not imported if the error is far from the user's edits",
		`
		--- file a.ts
		export const limit = 1
		--- user main.ts
		‹→a▮›
		1
		2
		3
		4
		5
		6
		7
		8
		9
		10
		11
		12
		show(limit)
		     ^^^^^ error: Cannot find name 'limit'.
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not imported if there is no edit",
		`
		--- file a.ts
		export const limit = 1
		--- user main.ts
		show(limit▮)
		     ^^^^^ error: Cannot find name 'limit'.
		--- suggests nothing (nothing-found)
	`,
	);

	diagnosticStory(
		"is imported without an edit if a diagnostic near the cursor is new",
		`
		--- file a.ts
		export default function limit() {}
		--- user main.ts
		show(limit▮)
		     ^^^^^ error: Cannot find name 'limit'.
		--- suggests
		‹→import limit from "./a"

		▮›show(limit)
	`,
	);
});

describe("an import", () => {
	story(
		"is removed with the last use of its name",
		`
		--- user
		import { one, two } from "./numbers"
		              ^^^ hint: 'two' is declared but its value is never read.
		show(one, ‹two→2▮›)
		--- suggests (\`two\` is no longer used)
		import { one‹, two→▮› } from "./numbers"
		show(one, 2)
	`,
	);

	story(
		"is removed with its line if it was the only name",
		`
		--- user main.py
		import os
		       ^^ warning: 'os' imported but unused
		import sys

		print(‹os.name→"linux"▮›, sys.argv)
		--- suggests
		‹import os
		→▮›import sys

		print("linux", sys.argv)
	`,
	);

	story(
		"is removed from a Go import group",
		`
		--- user main.go
		package main

		import (
		⇥"fmt"
		⇥"strings"
		 ^^^^^^^^^ error: "strings" imported and not used
		)

		func main() {
		⇥fmt.Println(‹strings.ToUpper("a")→"A"▮›)
		}

		--- suggests
		package main

		import (
		⇥"fmt"
		‹⇥"strings"
		→▮›)

		func main() {
		⇥fmt.Println("A")
		}

	`,
	);

	story(
		"is kept if the user has just added it",
		`
		--- user
		import { one‹→, two▮› } from "./numbers"
		                ^^^ hint: 'two' is declared but its value is never read.
		show(one)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is kept if the user has just replaced another import with it",
		`
		--- user
		import { ‹sum→two▮› } from "./numbers"
		              ^^^ hint: 'two' is declared but its value is never read.
		‹two→one›(1)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is kept if it was unused before the edit",
		`
		--- user
		import { one, two } from "./numbers"
		              ^^^ hint: 'two' is declared but its value is never read.
		show(one, ‹1→2▮›)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not confused with an unused variable",
		`
		--- user
		const two = 2
		      ^^^ hint: 'two' is declared but its value is never read.
		show(‹two→2▮›)
		--- suggests nothing (nothing-found)
	`,
	);
});

describe("an asynchronous call", () => {
	story(
		"makes its function async",
		`
		--- user
		class Page {
		  load(path: string) {
		    if (path) {
		      const text = ‹→await ▮›read(path)
		                     ^^^^^ error: 'await' expressions are only allowed within async functions
		    }
		  }
		}
		--- suggests (The function uses \`await\`)
		class Page {
		  ‹→async ▮›load(path: string) {
		    if (path) {
		      const text = await read(path)
		    }
		  }
		}
	`,
	);

	story(
		"makes a short function async",
		`
		--- user
		const all = paths.map((path) => ‹→await ▮›read(path))
		                                  ^^^^^ error: 'await' expressions are only allowed within async functions
		--- suggests
		const all = paths.map(‹→async ▮›(path) => await read(path))
	`,
	);

	story(
		"does not guess where a function with a multi-line header starts",
		`
		--- user
		const load = (
		  path: string,
		): Page => {
		  return ‹→await ▮›read(path)
		           ^^^^^ error: 'await' expressions are only allowed within async functions
		}
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"makes a Python function async",
		`
		--- user main.py
		def load(path):
		    return ‹→await ▮›read(path)
		             ^^^^^ error: "await" allowed only within async function
		--- suggests
		‹→async ▮›def load(path):
		    return await read(path)
	`,
	);

	story(
		"is awaited inside an async function",
		`
		--- user main.py
		async def load(path):
		    ‹→read(path)▮›
		      ^^^^^^^^^^ error: Result of async function call is not used; use "await" or assign result to variable
		--- suggests (\`read\` must be awaited)
		async def load(path):
		    ‹→await ▮›read(path)
	`,
	);

	story(
		"is awaited with a suffix in Rust",
		`
		--- user main.rs
		pub async fn load(path: &str) {
		    ‹→read(path);▮›
		      ^^^^^^^^^^ warning: unused implementer of \`Future\` that must be used
		}
		--- suggests
		pub async fn load(path: &str) {
		    read(path)‹→.await▮›;
		}
	`,
	);

	story(
		"is not awaited inside a function that is not async",
		`
		--- user
		function load(path: string) {
		  ‹→read(path)▮›
		    ^^^^^^^^^^ error: Promises must be awaited
		}
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not awaited twice",
		`
		--- user
		async function load(path: string) {
		  await ‹→read(path)▮›
		          ^^^^^^^^^^ error: Promises must be awaited
		}
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not make a constructor async",
		`
		--- user
		class Page {
		  constructor(path: string) {
		    ‹→await ▮›read(path)
		      ^^^^^ error: 'await' expressions are only allowed within async functions
		  }
		}
		--- suggests nothing (nothing-found)
	`,
	);
});
