import path from "node:path";
import { type DemoPage, inDemoPage } from "@segue/testing/plugins/demo-page";
import { expect, test } from "vitest";

// With SCREENSHOTS=FOLDER, writes a screenshot of each case: npm run screenshots
const FOLDER = process.env["SCREENSHOTS"];

const TEXT = `interface Page {
  title: string
  size: number
}

export function render(page: Page): string {
  const cnt = page.size
  log("rendering", cnt, page.title)
  if (cnt > 3) return page.title
  return \`\${page.title} (\${cnt})\`
}
`;
const COLOURS = `enum Color {
    Red,
    Green,
}

fn name(color: &Color) -> &str {
    match color {
        Color::Red => "red",
        Color::Green => "green",
    }
}

fn code(color: &Color) -> u8 {
    match color {
        Color::Red => code_of("red"),
        Color::Green => code_of("green"),
    }
}
`;

const THEMES = ["light", "dark"] as const;

inDemoPage("the look of suggestions in CodeMirror", (stage) => {
	test.for(THEMES)("draws an edit within lines in a %s editor", async (theme) => {
		const demo = await open(theme, TEXT);
		await replace(demo, TEXT, "cnt", "count");
		await expect.poll(async () => (await demo.look()).added.length).toBeGreaterThan(0);
		await save(demo, `codemirror-edit-${theme}`);
		expect((await demo.look()).badge).toEqual(["Tab Accept"]);
	});

	test.for(THEMES)("draws an arrow to a suggestion that is not visible in a %s editor", async (theme) => {
		const text = TEXT.replace("\n  return `", `\n${"  step()\n".repeat(30)}  return \``).replace(
			/.*log.*\n.*if.*\n/,
			"",
		);
		const demo = await open(theme, text);
		await replace(demo, text, "cnt", "count");
		await expect.poll(async () => (await demo.look()).chip).toContain("Tab ↓");
		await save(demo, `codemirror-jump-${theme}`);
	});

	test.for(THEMES)("draws a suggestion of several lines in a box in a %s editor", async (theme) => {
		const demo = await open(theme, COLOURS, "rust");
		const [member, line] = ["Green,", '"green",'];
		await demo.paste(0, COLOURS.indexOf(member) + member.length, "\n    Blue,");
		const at = (await demo.text()).indexOf(line) + line.length;
		await demo.paste(0, at, '\n        Color::Blue => "blue",');
		await expect.poll(async () => (await demo.look()).added.join("")).toContain("Color::Blue");
		await save(demo, `codemirror-lines-${theme}`);
	});

	async function open(theme: (typeof THEMES)[number], text: string, languageId = "typescript"): Promise<DemoPage> {
		const demo = await stage.open({ agent: "worker", isDark: theme === "dark" });
		await demo.page.setViewportSize({ width: 860, height: 480 });
		await demo.open({ uri: "file:///project/page", languageId, text, height: "410px" });
		return demo;
	}
});

async function replace(demo: DemoPage, text: string, word: string, insert: string): Promise<void> {
	const at = text.indexOf(word);
	await demo.replace(0, at, at + word.length, insert);
}

async function save(demo: DemoPage, name: string): Promise<void> {
	if (FOLDER !== undefined) await demo.page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
}
