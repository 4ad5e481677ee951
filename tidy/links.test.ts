import { expect, test } from "vitest";
import { findBrokenLinks } from "./links.js";

const others = {
	"docs/guide.md": "# The guide\n\n## What `segue why` says\n\n## Twice\n\n## Twice\n\n```sh\n# not a heading\n```\n",
	"docs/a b.md": "",
	"logo.svg": "",
	"src/main.ts": "",
};

function broken(text: string, file = "README.md"): string[] {
	return findBrokenLinks({ ...others, [file]: text });
}

test.for([
	["a file", "[guide](docs/guides.md)"],
	["an image", "![logo](logo.png)"],
	["a link with a title", `[guide](docs/guides.md "The guide")`],
	["angle brackets", "[guide](<docs/ab.md>)"],
	["another case", "[guide](docs/Guide.md)"],
	["a heading in this file", "[below](#below)"],
	["a heading in another file", "[guide](docs/guide.md#other)"],
	["a number that is too high", "[guide](docs/guide.md#twice-2)"],
	["code that looks like a heading", "[guide](docs/guide.md#not-a-heading)"],
	["an anchor that is not a line", "[main](src/main.ts#main)"],
	["a definition", "[guide]: docs/guides.md"],
	["an image in HTML", `<img alt="logo" src="logo.png">`],
	["a place outside", "[up](../README.md)"],
	["the root, with a leading slash", "[guide](/guide.md)"],
	["a link after code", "`code` [guide](docs/guides.md) `code`"],
	["a link after a code block", "```md\n[guide](nowhere.md)\n```\n[guide](docs/guides.md)"],
] as const)("reports a broken link: %s", ([, text]) => {
	const findings = broken(`# Segue\n\n${text}`);
	const line = 2 + text.split("\n").length;
	expect(findings).toEqual([expect.stringMatching(new RegExp(`^README\\.md:${line} links to .*, but .*: correct`))]);
});

test.for([
	["another file", "[guide](docs/guide.md)"],
	["a folder", "[docs](docs) [docs](docs/) [here](.)"],
	["a space", "[a](docs/a%20b.md) [a](<docs/a b.md>)"],
	["the root, with a leading slash", "[guide](/docs/guide.md)"],
	["an image that is a link", "[![logo](logo.svg)](docs/guide.md)"],
	["a heading in this file", "[top](#segue)"],
	["a heading that contains code", "[why](docs/guide.md#what-segue-why-says)"],
	["the second heading with the same text", "[twice](docs/guide.md#twice) [again](docs/guide.md#twice-1)"],
	["a named place", `<a id="here"></a> [here](#here)`],
	["a line", "[main](src/main.ts#L1-L2)"],
	["another site", "[site](https://example.com/a) [mail](mailto:a@example.com) <https://example.com>"],
	["nothing, in code", "`[a](nowhere.md)` and ``[b](`nowhere.md)``"],
	["nothing, in code that spans two lines", "`a\n[a](nowhere.md)`"],
	["nothing, in a code block", "````md\n```\n[a](nowhere.md)\n```\n````"],
	["nothing, in a code block in a list", "- ~~~\n  [a](nowhere.md)\n  ~~~"],
	["nothing, in a comment", "<!-- [a](nowhere.md) -->"],
] as const)("accepts a link to %s", ([, text]) => {
	expect(broken(`# Segue\n\n${text}`)).toEqual([]);
});

test("resolves a link relative to its file, or to the root if it starts with a slash", () => {
	expect(broken("[main](../src/main.ts) [guide](guide.md) [again](/docs/guide.md)", "docs/more.md")).toEqual([]);
	expect(broken("[main](src/main.ts)", "docs/more.md")).toHaveLength(1);
});
