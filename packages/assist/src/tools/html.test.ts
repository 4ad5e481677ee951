import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToText } from "./html.js";

describe("a page's text", () => {
	test.each([
		["has a line for each block", "<h1>A</h1><ul><li>b</li><li>c</li></ul>d<br>e", "A\n\nb\n\nc\n\nd\ne"],
		["has no marks", "one <a href=\"x\">two</a> <b class='a>b'>three</b>", "one two three"],
		["has no scripts and styles", "a<script>if (1 < 2) {}</script>b<STYLE>p {}</Style >c<!-- d > -->e", "abce"],
		["ends where a script does not end", "a<script>b", "a"],
		["has spaces between cells", "<tr><td>a</td><td>b</td></tr>", "a b"],
		[
			"has characters for their names",
			"&lt;p&gt; &amp;amp; &#233;&#xE9; &unknown; &#0; &#x110000;",
			"<p> &amp; éé &unknown; \ufffd \ufffd",
		],
		["keeps signs that begin no tag", "1 < 2 && 3 > 2 <3", "1 < 2 && 3 > 2 <3"],
		["has no doctype", "<!DOCTYPE html><title>A</title>", "A"],
	])("%s", (_title, html, text) => {
		expect(htmlToText(html)).toBe(text);
	});

	test("is plain text's own, with its spaces joined", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom("a", "é", " ", ">", '"') }), (text) => {
				expect(htmlToText(text)).toBe(text.replace(/ +/g, " ").trim());
			}),
		);
	});

	test.each(["<script></script", "<a ", "<!--", "</script", "<", "&a", '<a "'])(
		"is found at once in many of %j",
		(piece) => {
			// Were each of them looked at to the end, this would take hours.
			expect(htmlToText(piece.repeat(250_000)).length).toBeLessThan(2 ** 21);
		},
	);
});
