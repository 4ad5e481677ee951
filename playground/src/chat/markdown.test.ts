import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { EMPTY_PARSE, type MarkdownBlock, type MarkdownSpan, parseMarkdown } from "./markdown.js";

test.for<[text: string, drawn: string]>([
	["Just text.", "p[Just text.]"],
	["One\nline\n\nand another", "p[One⏎line] p[and another]"],
	["# Title\ntext", "h[Title] p[text]"],
	["#hashtag", "p[#hashtag]"],
	["a `b` c", "p[a `b` c]"],
	["``a ` b``", "p[`a ` b`]"],
	["` `` `", "p[````]"],
	["an open ` tick", "p[an open ` tick]"],
	["**bold** and *stressed* and __bold__ and _stressed_", "p[<bold> and /stressed/ and <bold> and /stressed/]"],
	["**bold with `code` and *stress***", "p[<bold with `code` and /stress/>]"],
	["an open **bold", "p[an open **bold]"],
	["2 * 3 * 4 and snake_case_name", "p[2 * 3 * 4 and snake_case_name]"],
	["not \\*stressed\\* and `\\*`", "p[not *stressed* and `\\*`]"],
	["[the page](https://x.test/a?b=1)", "p[the page→https://x.test/a?b=1]"],
	["[no address] (here)", "p[[no address] (here)]"],
	["```ts\nconst a = 1;\n\n**b**\n```\nafter", "code:ts[const a = 1;⏎⏎**b**] p[after]"],
	["~~~\na\n```\n~~~", "code[a⏎```]"],
	["````\n```\n````", "code[```]"],
	["text\n```\nopen", "p[text] code[open]"],
	["- a\n- b", "ul[p[a] | p[b]]"],
	["* a\n  more\n* b", "ul[p[a⏎more] | p[b]]"],
	["- a\nlazy\n\nafter", "ul[p[a⏎lazy]] p[after]"],
	["- a\n  - b\n    - c\n- d", "ul[p[a] ul[p[b] ul[p[c]]] | p[d]]"],
	["1. a\n  - b\n2. c", "ol1[p[a] ul[p[b]] | p[c]]"],
	["3) a\n4) b", "ol3[p[a] | p[b]]"],
	["1. a\n\n   ```\n   x\n   ```\n\n2. b", "ol1[p[a] code[x] | p[b]]"],
	["1. x\n  ```py\n  if a:\n    b\n      c\n  ```", "ol1[p[x] code:py[if a:⏎  b⏎    c]]"],
	["1. x\ny\n\n  ```\n  if a:\n    b\n  ```", "ol1[p[x⏎y] code[if a:⏎  b]]"],
	["10. x\n\n    ```\n    a\n      b\n    ```", "ol10[p[x] code[a⏎  b]]"],
	["- x\n\n\t```\n\ta\n\t\tb\n\t```", "ul[p[x] code[a⏎\tb]]"],
	["- a\n\n\n- b\n1. c", "ul[p[a] | p[b]] ol1[p[c]]"],
	["in\n2020. it was", "p[in⏎2020. it was]"],
	["> a\n> > b\n\nc", "q[p[a] q[p[b]]] p[c]"],
	["a\n***\nb", "p[a] hr p[b]"],
	["| a | b |\n| --- | :-: |\n| `1` | **2** |\nafter", "table:-,center[a, b; `1`, <2>; after]"],
	["a | b\n:- | -:\n1 \\| 2 | 3\n\nafter", "table:left,right[a, b; 1 | 2, 3] p[after]"],
	["text\n| a |\n| - |", "p[text] table:-[a]"],
	["- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 | 3 |", "ul[p[x] table:-,-[a, b; 1, 2, 3]]"],
	["| a | b |\n| - |", "p[| a | b |⏎| - |]"],
	["a | b\n---", "p[a | b] hr"],
	["| a |\n| - |\n# b", "table:-[a] h[b]"],
	["<b onclick=x>&amp;</b>", "p[<b onclick=x>&amp;</b>]"],
])("parses %j", ([text, drawn]) => {
	expect(drawAll(blocksOf(text))).toBe(drawn);
});

const marked = fc
	.array(
		fc.constantFrom(
			"a",
			"b c",
			" ",
			"\n",
			"\n\n",
			"  ",
			"\t",
			"`",
			"```",
			"**",
			"*",
			"_",
			"- ",
			"1. ",
			"> ",
			"# ",
			"[",
			" | ",
			"\n|-|-|\n",
		),
		{
			maxLength: 40,
		},
	)
	.map((parts) => parts.join(""));

test("a new line changes only the last block", () => {
	fc.assert(
		fc.property(marked, marked, (text, more) => {
			const before = blocksOf(`${text}\n`).slice(0, -1).map(draw);
			const after = blocksOf(`${text}\n${more}`).map(draw);
			expect(after.slice(0, before.length)).toEqual(before);
		}),
	);
});

test("parsing an answer as it arrives gives the same result as parsing all of it once", () => {
	fc.assert(
		fc.property(fc.array(marked, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), (parts, chars) => {
			const text = parts.join("\n");
			let read = EMPTY_PARSE;
			for (const so of growing(text, chars)) {
				read = parseMarkdown(so, read);
				expect(read.blocks).toEqual(blocksOf(so));
			}
		}),
	);
});

test("an answer that differs from the previous one is parsed from the start", () => {
	const before = parseMarkdown("# One\n\ntwo\n\nthree", EMPTY_PARSE);
	expect(drawAll(parseMarkdown("# Another\n\ntwo\n\nthree", before).blocks)).toBe("h[Another] p[two] p[three]");
});

const SECTION = "## Why\n\nIt is *so*,\nand so.\n\n- a\n  - b\n- c\n\n> d\n\n```ts\nlet e = 1;\n```\n\n";

test("the end of a long answer takes no longer to parse than its start", () => {
	let read = EMPTY_PARSE;
	const costs = growing(SECTION.repeat(300), 16).map((so) =>
		linesReadIn(() => {
			read = parseMarkdown(so, read);
		}),
	);
	const half = costs.length / 2;
	expect(Math.max(...costs.slice(half))).toBeLessThanOrEqual(Math.max(...costs.slice(0, half)));
});

test("the cost of parsing a whole answer grows linearly", () => {
	const cost = (sections: number) => linesReadIn(() => blocksOf(SECTION.repeat(sections)));
	expect(cost(300) - cost(200)).toBe(cost(200) - cost(100));
});

test("keeps every word, whatever marks surround it", () => {
	fc.assert(
		fc.property(marked, (text) => {
			const words = (all: string) => all.match(/[abc]/g)?.join("") ?? "";
			expect(words(drawAll(blocksOf(text)).replace(/code|table/g, ""))).toBe(words(text));
		}),
	);
});

test.for<[what: string, text: string]>([
	["quotes", ">".repeat(100_000)],
	["lists", Array.from({ length: 2_000 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
	["stresses", "*a ".repeat(30_000)],
	["ticks", "`a ``b ".repeat(10_000)],
	["brackets", "[".repeat(50_000)],
	["table cells", "|".repeat(50_000)],
	["tables", "| a\n|-\n".repeat(10_000)],
])("parses a long answer that consists only of %s", ([, text]) => {
	expect(blocksOf(text).length).toBeGreaterThan(0);
});

function blocksOf(text: string): readonly MarkdownBlock[] {
	return parseMarkdown(text, EMPTY_PARSE).blocks;
}

/** Returns prefixes of a string, each a few characters longer than the one before. */
function growing(text: string, chars: number): readonly string[] {
	return Array.from({ length: Math.ceil(text.length / chars) }, (_, i) => text.slice(0, (i + 1) * chars));
}

/** Counts how often lines in a string are read. */
function linesReadIn(run: () => void): number {
	let count = 0;
	const split = String.prototype.split;
	const spy = vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, by) {
		return new Proxy(split.call(this, by), {
			get: (lines, key) => {
				if (/^\d+$/.test(String(key))) count++;
				return Reflect.get(lines, key);
			},
		});
	});
	try {
		run();
	} finally {
		spy.mockRestore();
	}
	return count;
}

function drawAll(blocks: readonly MarkdownBlock[]): string {
	return blocks.map(draw).join(" ");
}

function draw(block: MarkdownBlock): string {
	switch (block.type) {
		case "paragraph":
			return `p[${drawSpans(block.spans)}]`;
		case "heading":
			return `h[${drawSpans(block.spans)}]`;
		case "code":
			return `code${block.label && `:${block.label}`}[${block.text.replaceAll("\n", "⏎")}]`;
		case "list":
			return `${block.from === undefined ? "ul" : `ol${block.from}`}[${block.items.map(drawAll).join(" | ")}]`;
		case "quote":
			return `q[${drawAll(block.blocks)}]`;
		case "table": {
			const rows = [block.head, ...block.rows].map((row) => row.map(drawSpans).join(", "));
			return `table:${block.aligns.map((align) => align ?? "-").join(",")}[${rows.join("; ")}]`;
		}
		case "rule":
			return "hr";
	}
}

function drawSpans(spans: readonly MarkdownSpan[]): string {
	return spans.map(drawSpan).join("").replaceAll("\n", "⏎");
}

function drawSpan(span: MarkdownSpan): string {
	switch (span.type) {
		case "text":
			return span.text;
		case "code":
			return `\`${span.text}\``;
		case "strong":
			return `<${drawSpans(span.spans)}>`;
		case "emphasis":
			return `/${drawSpans(span.spans)}/`;
		case "link":
			return `${span.label}→${span.address}`;
	}
}
