import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeCalls } from "./calls.js";

const story = storiesOn(() => new PredictorPlayer(proposeCalls));

describe("the calls to a function", () => {
	story(
		"lose the argument for a removed parameter",
		`
		--- user
		function load(path: string‹, mode: Map<string, number>→▮›) {}
		load("a", one)
		load(join("b", "c"), two(1, 2))
		load("d")
		--- suggests (\`load\` no longer takes \`mode\`: 2 calls left in this file)
		function load(path: string) {}
		load("a"‹, one→▮›)
		load(join("b", "c"), two(1, 2))
		load("d")
		--- user accepts
		--- suggests (\`load\` no longer takes \`mode\`: 1 call left in this file)
		function load(path: string) {}
		load("a")
		load(join("b", "c")‹, two(1, 2)→▮›)
		load("d")
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"get the variable with the name of the new parameter",
		`
		--- user main.go
		func run(‹→ctx Context, ▮›job Job) {}
		func main(ctx Context) {
		⇥run(first)
		}

		--- suggests (\`run\` now takes \`ctx\`: 1 call left in this file)
		func run(ctx Context, job Job) {}
		func main(ctx Context) {
		⇥run(‹→ctx, ▮›first)
		}

	`,
	);

	story(
		"get the argument that the user passed in another call",
		`
		--- user main.py
		def load(path‹→, mode›):
		    pass

		load("a"‹→, READ▮›)
		load("b")
		--- suggests
		def load(path, mode):
		    pass

		load("a", READ)
		load("b"‹→, READ▮›)
	`,
	);

	story(
		"get their arguments in the new order, also in other files",
		`
		--- file b.ts
		import { copy } from "./a"
		copy(one, two)
		--- user a.ts
		export function copy(‹from: string, to: string→to: string, from: string▮›) {}
		--- suggests b.ts
		import { copy } from "./a"
		copy(‹one→two›, ‹two→one▮›)
	`,
	);

	story(
		"include those that construct a class whose constructor was changed",
		`
		--- user shapes.py
		class Box:
		    def __init__(self, width‹, unit→▮›):
		        self.width = width

		box = Box(3, CM)
		--- suggests
		class Box:
		    def __init__(self, width):
		        self.width = width

		box = Box(3‹, CM→▮›)
	`,
	);

	story(
		"can span several lines, like the parameters",
		`
		--- user main.rs
		fn draw(
		    shape: Shape,
		‹    color: Color,
		→▮›    size: u32,
		) {}
		fn main() {
		    draw(
		        shape,
		        red,
		        3,
		    );
		}
		--- suggests
		fn draw(
		    shape: Shape,
		    size: u32,
		) {}
		fn main() {
		    draw(
		        shape,
		        ‹red,
		        →▮›3,
		    );
		}
	`,
	);

	story(
		"are updated after the function was renamed",
		`
		--- user
		function ‹load→read▮›(path: string) {}
		load("a")
		load("b")
		--- user
		function read(path: string) {}
		‹load→read›("a")
		‹load→read▮›("b")
		--- user
		function read(path: string‹→, mode: Mode›) {}
		read("a"‹→, MODE▮›)
		read("b")
		--- suggests (\`read\` now takes \`mode\`: 1 call left in this file)
		function read(path: string, mode: Mode) {}
		read("a", MODE)
		read("b"‹→, MODE▮›)
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"are jump targets if the new argument is unclear",
		`
		--- editor can jump
		--- user
		function load(path: string‹→, mode: Mode▮›) {}
		load("a")
		--- suggests jump main.ts
		function load(path: string, mode: Mode) {}
		load("a"▮)
	`,
	);

	story(
		"are not suggested to an editor that cannot jump",
		`
		--- user
		function load(path: string‹→, mode: Mode▮›) {}
		load("a")
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"are not changed if the new parameter is optional",
		`
		--- user main.py
		def load(path‹→, mode=READ▮›):
		    pass

		mode = 1
		load("a")
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"are not changed if a parameter was renamed",
		`
		--- user
		function load(‹path→file▮›: string, mode: Mode) {}
		load("a", one)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't include calls to another function with the same name",
		`
		--- user
		function load(path: string‹, mode: Mode→▮›) {}
		page.load("a", one)
		"load(a, one)"
		// load(a, one)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"are not changed if two functions have the same name",
		`
		--- user
		class A {
		  load(path: string‹, mode: Mode→▮›) {
		  }
		}
		class B {
		  load(path: string, mode: Mode) {
		  }
		}
		it.load("a", one)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"are not changed if the number of arguments differs, or with spread arguments",
		`
		--- user
		function load(path: string‹, mode: Mode→▮›) {}
		load()
		load("a", one, two)
		load("a", ...rest)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't include calls to a parameter with the same name",
		`
		--- user
		function load(path: string‹, mode: Mode→▮›) {}
		function each(
		⇥load: Loader,
		) {
		⇥if (load) {
		⇥⇥load("a", one)
		⇥}
		}
		function once(load: Loader) { load("b", two) }
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"include calls next to a function that has a parameter with the same name",
		`
		--- user
		function load(path: string‹, mode: Mode→▮›) {}
		function each(load: Loader) {
		⇥return load
		}
		load("a", one)
		--- suggests
		function load(path: string) {}
		function each(load: Loader) {
		⇥return load
		}
		load("a"‹, one→▮›)
	`,
	);

	story(
		"are not changed if a rest parameter is involved",
		`
		--- user
		function load(path: string‹, mode: Mode→▮›, ...rest: string[]) {}
		load("a", one, two)
		load("b", one)
		--- suggests nothing (nothing-found)
		--- user other.py
		def save(path‹, *names→▮›):
		    pass
		save("a", one)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't get an argument that differs between other calls",
		`
		--- user
		function load(path‹→, mode›) {}
		load("a"‹→, READ›)
		load("b"‹→, WRITE▮›)
		load("c")
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't get a literal that was passed only once",
		`
		--- user
		function load(path‹→, isNew›) {}
		load("a"‹→, true▮›)
		load("b")
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't include calls to a plain function if a method was changed",
		`
		--- user
		class Store {
		  put(key: string‹, size: number→▮›) {
		  }
		}
		put("a", 1)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"don't get a variable that belongs to another function",
		`
		--- user main.go
		func run(‹→ctx Context, ▮›job Job) {}
		func other(ctx Context) {
		⇥wait(ctx)
		}
		func main() {
		⇥run(first)
		}

		--- suggests nothing (nothing-found)
	`,
	);
});
