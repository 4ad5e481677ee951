import path from "node:path";
import { inMonaco } from "@segue/testing/plugins/monaco-fixture";
import { type MonacoTester, POLL } from "@segue/testing/plugins/monaco-tester";
import { expect, test } from "vitest";

/** Saves a screenshot for the documentation if SCREENSHOTS names a folder. */
async function photograph({ page }: MonacoTester, name: string): Promise<void> {
	const folder = process.env["SCREENSHOTS"];
	if (folder !== undefined) await page.screenshot({ path: path.join(folder, `monaco-${name}.png`) });
}

const SMALL = { width: 640, height: 260 };

const MATCH = [
	...["enum Color {", "    Red,", "    Green,", "}", "", "fn name(color: &Color) -> &str {"],
	...["    match color {", '        Color::Red => "red",', '        Color::Green => "green",', "    }", "}", ""],
].join("\n");

inMonaco("a suggestion in Monaco", (demo) => {
	test.for(["vs", "vs-dark"])("is drawn as removed and added text inside a line (%s)", async (theme) => {
		const tester = await demo.open(SMALL, theme);
		const text = 'const cnt = items.length\nlog("cnt", cnt, cnt)\nif (cnt > 3) return cnt\n';
		await tester.open("src/main.ts", text);
		await tester.replace(6, 9, "count");
		const shown = await tester.suggestion();
		expect(shown).toMatchObject({ drawnAs: "inline", removed: "cntcnt", added: "countcount" });
		expect(await tester.page.locator(".segue-badge").innerText()).toBe("Tab Accept");
		if (theme === "vs") await photograph(tester, "edit");
	});

	test("is drawn as a mark at the target of a jump", async () => {
		const tester = await demo.open(SMALL);
		await tester.open("src/main.ts", 'interface Page { title: Text }\nshow(1, "a")\nprint(page.title)\n');
		await tester.replace(24, 28, "Size");
		await tester.mark(44 + 11, 44 + 16, "Argument of type 'Size' is not assignable to 'Label'");
		const shown = await tester.suggestion();
		expect(shown).toMatchObject({ drawnAs: "target", at: 55 });
		expect(await tester.page.locator(".segue-badge").innerText()).toBe("Tab Jump here");
		await photograph(tester, "jump");
	});

	test.for([
		["beside", { width: 860, height: 320 }],
		["below", { width: 520, height: 320 }],
	] as const)("is drawn as a box %s several lines, where there is room", async ([drawnAs, size]) => {
		const tester = await demo.open(size);
		const code = `${MATCH}\nfn code(color: &Color) -> u8 {\n    match color {\n        Color::Red => code_of("red"),\n        Color::Green => code_of("green"),\n    }\n}\n`;
		await tester.open("src/color.rs", code);
		await tester.replace(code.indexOf("}"), code.indexOf("}"), "    Blue,\n");
		const arm = (await tester.text()).indexOf("    }\n}");
		await tester.replace(arm, arm, '        Color::Blue => "blue",\n');
		await tester.page.evaluate(() => window.demo.editor.setScrollTop(100));
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe(drawnAs);
		expect((await tester.shown())?.added).toBe('Color::Blue=>code_of("blue"),');
		if (drawnAs === "beside") await photograph(tester, "lines");
	});
});
