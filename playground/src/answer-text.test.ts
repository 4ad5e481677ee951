import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, readAnswer, type Span } from "./answer-text.js";

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
	["- a\n\n\n- b\n1. c", "ul[p[a] | p[b]] ol1[p[c]]"],
	["in\n2020. it was", "p[in⏎2020. it was]"],
	["> a\n> > b\n\nc", "q[p[a] q[p[b]]] p[c]"],
	["a\n***\nb", "p[a] hr p[b]"],
	["<b onclick=x>&amp;</b>", "p[<b onclick=x>&amp;</b>]"],
])("an answer is drawn with its marks: %j", ([text, drawn]) => {
	expect(drawAll(readAnswer(text))).toBe(drawn);
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
		),
		{
			maxLength: 40,
		},
	)
	.map((parts) => parts.join(""));

test("while an answer comes line by line, only its last block changes", () => {
	fc.assert(
		fc.property(marked, marked, (text, more) => {
			const before = readAnswer(`${text}\n`).slice(0, -1).map(draw);
			const after = readAnswer(`${text}\n${more}`).map(draw);
			expect(after.slice(0, before.length)).toEqual(before);
		}),
	);
});

test("nothing that is said is lost, whatever the marks around it", () => {
	fc.assert(
		fc.property(marked, (text) => {
			const words = (all: string) => all.match(/[abc]/g)?.join("") ?? "";
			expect(words(drawAll(readAnswer(text)).replaceAll("code", ""))).toBe(words(text));
		}),
	);
});

test.for<[what: string, text: string]>([
	["quotes", ">".repeat(100_000)],
	["lists", Array.from({ length: 2_000 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
	["stresses", "*a ".repeat(30_000)],
	["ticks", "`a ``b ".repeat(10_000)],
	["brackets", "[".repeat(50_000)],
])("an answer of nothing but %s is read", ([, text]) => {
	expect(readAnswer(text).length).toBeGreaterThan(0);
});

function drawAll(blocks: readonly Block[]): string {
	return blocks.map(draw).join(" ");
}

function draw(block: Block): string {
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
		case "rule":
			return "hr";
	}
}

function drawSpans(spans: readonly Span[]): string {
	return spans.map(drawSpan).join("").replaceAll("\n", "⏎");
}

function drawSpan(span: Span): string {
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
