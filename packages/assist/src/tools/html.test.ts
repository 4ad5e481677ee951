import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlToText } from "./html.js";

describe("HTML to text", () => {
	test.each([
		["puts each block on its own line", "<h1>A</h1><ul><li>b</li><li>c</li></ul>d<br>e", "A\n\nb\n\nc\n\nd\ne"],
		["drops inline tags", "one <a href=\"x\">two</a> <b class='a>b'>three</b>", "one two three"],
		[
			"drops scripts, styles and comments",
			"a<script>if (1 < 2) {}</script>b<STYLE>p {}</Style >c<!-- d > -->e",
			"abce",
		],
		["drops an unclosed script", "a<script>b", "a"],
		["separates table cells with spaces", "<tr><td>a</td><td>b</td></tr>", "a b"],
		[
			"decodes entities",
			"&lt;p&gt; &amp;amp; &#233;&#xE9; &unknown; &#0; &#x110000;",
			"<p> &amp; éé &unknown; \ufffd \ufffd",
		],
		["keeps a < that does not start a tag", "1 < 2 && 3 > 2 <3", "1 < 2 && 3 > 2 <3"],
		["drops the doctype", "<!DOCTYPE html><title>A</title>", "A"],
	])("%s", (_title, html, text) => {
		expect(htmlToText(html)).toBe(text);
	});

	test("keeps plain text and collapses its spaces", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom("a", "é", " ", ">", '"') }), (text) => {
				expect(htmlToText(text)).toBe(text.replace(/ +/g, " ").trim());
			}),
		);
	});

	test.each(["<script></script", "<a ", "<!--", "</script", "<", "&a", '<a "'])(
		"takes linear time for a repeated %j",
		(piece) => {
			// Scanning to the end of the text for each occurrence would take hours.
			expect(htmlToText(piece.repeat(250_000)).length).toBeLessThan(2 ** 21);
		},
	);
});
