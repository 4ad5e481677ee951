import { expect, test } from "vitest";
import type { PromptPart } from "./thread.js";
import { titleOf } from "./title.js";

const text = (said: string): PromptPart => ({ type: "text", text: said });

for (const { parts, title } of [
	{ parts: [text("Explain this")], title: "Explain this" },
	{ parts: [text("  two\n\tlines \u0007\u202e here ")], title: "two lines here" },
	{ parts: [text(`${"word ".repeat(30)}`)], title: `${"word ".repeat(12).trim()}…` },
	{ parts: [text("x".repeat(100))], title: `${"x".repeat(60)}…` },
	{ parts: [text("😀".repeat(60))], title: "😀".repeat(60) },
	{ parts: [{ type: "file", path: "/w/src/app.ts", lines: undefined, content: "" }], title: "app.ts" },
	{ parts: [{ type: "excerpt", label: "Terminal", content: "" }], title: "Terminal" },
	{ parts: [{ type: "image", mediaType: "image/png", base64: "" }], title: "Image" },
] as const) {
	test(`calls a thread "${title}"`, () => {
		expect(titleOf(parts)).toBe(title);
	});
}
