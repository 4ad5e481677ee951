import { expect, test } from "vitest";
import { forkTitle, type PromptPart, threadTitle } from "./thread.js";

const text = (content: string): PromptPart => ({ type: "text", text: content });

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
	test(`titles a thread "${title}"`, () => {
		expect(threadTitle(parts)).toBe(title);
	});
}

for (const { title, others, forked } of [
	{ title: "Fix it", others: ["Fix it"], forked: "Fix it (2)" },
	{ title: "Fix it (2)", others: ["Fix it", "Fix it (2)"], forked: "Fix it (3)" },
	{ title: "Fix it", others: ["Fix it", "Fix it (2)", "Fix it (4)"], forked: "Fix it (3)" },
	{ title: "(7)", others: [], forked: "(7) (2)" },
	{ title: "", others: [], forked: "Chat (2)" },
]) {
	test(`titles the fork of "${title}" "${forked}"`, () => {
		expect(forkTitle(title, others)).toBe(forked);
	});
}
