import { type DemoPage, inDemoPage } from "@segue/testing/plugins/demo-page";
import { expect, test } from "vitest";

const URI = "file:///project/a.ts";
const RENAME = 'const cnt = items.length\nlog("cnt", cnt)\nif (cnt > 3) stop()\n';
const RENAMED = 'const count = items.length\nlog("cnt", count)\nif (count > 3) stop()\n';
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
const BLUE = '        Color::Blue => code_of("blue"),';

inDemoPage("suggestions in CodeMirror", (stage) => {
	test("stay while the user types their text, and Tab accepts the rest", async () => {
		const demo = await openColours();
		const ghost = async () => (await demo.look()).ghost.join("");
		await demo.type("\n");
		await demo.type("        Color::B".slice(await indentationIn(demo)));
		await expect.poll(ghost).toBe('lue => code_of("blue"),');
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain(`code_of("green"),\n${BLUE}\n    }`);
		expect(await ghost()).toBe("");
	});

	test("are accepted by the next word and the next line", async () => {
		const demo = await openColours();
		await demo.press("Control+ArrowRight");
		await expect.poll(() => demo.text()).toContain('code_of("green"),\n        Color\n    }');
		await demo.press("Control+ArrowDown");
		await expect.poll(() => demo.text()).toContain(`code_of("green"),\n${BLUE}\n    }`);
	});

	test("are one undo step each, even if the user types immediately afterwards", async () => {
		const demo = await openRename();
		const before = await demo.text();
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain('log("cnt", count)');
		const accepted = await demo.text();
		await demo.type("x");
		await expect.poll(() => demo.text()).toContain("countx");
		await demo.press("Control+z");
		expect(await demo.text()).toBe(accepted);
		await demo.press("Control+z");
		expect(await demo.text()).toBe(before);
		await demo.press("Control+y");
		expect(await demo.text()).toBe(accepted);
	});

	test("keep the line separators of a file with CRLF", async () => {
		const demo = await openColours("\r\n");
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain(BLUE);
		const content = await demo.call((demo) => demo.view(0).state.sliceDoc());
		expect(content).toContain(`code_of("green"),\r\n${BLUE}\r\n    }\r\n`);
		expect(content.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
	});

	test.for([
		["tabs", "\t\tlog(cnt,\t\tcnt)", "\t\tlog(count,\t\tcount)"],
		["wide characters", 'log("漢字", cnt)', 'log("漢字", count)'],
		["characters outside the basic plane", 'log("𝕏😀", cnt)', 'log("𝕏😀", count)'],
	] as const)("are at the right place in a line with %s", async ([, line, expected]) => {
		const demo = await stage.open({ agent: "server" });
		await demo.open({ uri: URI, languageId: "typescript", text: `const cnt = 0 // 😀\n${line}\n` });
		await rename(demo);
		await acceptUntil(demo, `const count = 0 // 😀\n${expected}\n`);
	});

	test("in folded code are shown as a chip: the first Tab unfolds the code, the second accepts", async () => {
		const demo = await stage.open({ agent: "worker" });
		const text = "const cnt = 0\nfunction f() {\n  return cnt\n}\n";
		await demo.open({ uri: URI, languageId: "typescript", text });
		const from = text.indexOf("{") + 1;
		await demo.call((demo, [from, to]) => demo.fold(0, from, to), [from, text.lastIndexOf("}")] as const);
		await rename(demo);
		await expect.poll(async () => (await demo.look()).chip).toContain("Tab →");
		await demo.press("Tab");
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
		expect(await demo.page.locator(".cm-foldPlaceholder").count()).toBe(0);
		expect(await demo.text()).toContain("return cnt");
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain("return count");
	});

	test("outside the visible lines are shown as a chip: the first Tab goes there, the second accepts", async () => {
		const demo = await stage.open({ agent: "worker" });
		const text = `const cnt = 0\n${"step()\n".repeat(60)}log(cnt)\n`;
		await demo.open({ uri: URI, languageId: "typescript", text });
		await rename(demo);
		await expect.poll(async () => (await demo.look()).chip).toContain("Tab ↓");
		await demo.press("Tab");
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain("log(count)");
	});

	test("are drawn in the focused one of two views of a document, and accepted in both", async () => {
		const demo = await stage.open({ agent: "worker" });
		await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
		await demo.open({ uri: URI, languageId: "typescript", text: "" });
		await rename(demo);
		await expect.poll(async () => (await demo.look(0)).added.length).toBeGreaterThan(0);
		expect((await demo.look(1)).added).toEqual([]);
		expect(await demo.text(1)).toBe(await demo.text(0));
		await demo.select(1, 3);
		await expect.poll(async () => (await demo.look(1)).added.length).toBeGreaterThan(0);
		expect((await demo.look(0)).added).toEqual([]);
		await acceptUntil(demo, RENAMED);
		expect(await demo.text(1)).toBe(await demo.text(0));
	});

	test("continue in another file: Tab goes to its view, and accepts there", async () => {
		const demo = await stage.open({ agent: "server" });
		const use = 'import { priceOf } from "./price.js"\nshow(priceOf(1))\n';
		await demo.open({ uri: "file:///project/use.ts", languageId: "typescript", text: use });
		const text = "export function priceOf(id: number) {}\n";
		await demo.open({ uri: "file:///project/price.ts", languageId: "typescript", text });
		await demo.replace(1, 16, 23, "costOf");
		await expect.poll(async () => (await demo.look(1)).chip).toContain("use.ts");
		await demo.press("Tab");
		await expect.poll(async () => (await demo.look(0)).added.length).toBeGreaterThan(0);
		expect(await demo.call((demo) => demo.view(0).hasFocus)).toBe(true);
		expect(await demo.call(({ revealed }) => revealed)).toContain("file:///project/use.ts");
		await acceptUntil(demo, use.replaceAll("priceOf", "costOf"));
	});

	test("are never applied to a read-only view", async () => {
		const demo = await stage.open({ agent: "server" });
		const use = 'import { priceOf } from "./price.js"\n';
		await demo.open({ uri: "file:///project/use.ts", languageId: "typescript", text: use, isReadOnly: true });
		const reason = () => demo.call(({ notices }) => notices.at(-1)?.sentence);
		await expect.poll(reason).toBe("No suggestions, because this editor is read-only.");
		const text = "export function priceOf(id: number) {}\n";
		await demo.open({ uri: "file:///project/price.ts", languageId: "typescript", text });
		await demo.replace(1, 16, 23, "costOf");
		await expect.poll(async () => (await demo.look(1)).chip).toContain("use.ts");
		await demo.press("Tab");
		await expect.poll(() => demo.call((demo) => demo.view(0).hasFocus)).toBe(true);
		await demo.press("Tab");
		await expect.poll(reason).toBe("No suggestions, because this editor is read-only.");
		expect((await demo.look(0)).added).toEqual([]);
		expect(await demo.text(0)).toBe(use);
	});

	test.for(["untitled:Untitled-1", "inmemory://model/1"])(
		"are shown in the document %s, which is not on disk",
		async (uri) => {
			const demo = await stage.open({ agent: "worker" });
			await demo.open({ uri, languageId: "typescript", text: RENAME });
			await rename(demo);
			await acceptUntil(demo, RENAMED);
		},
	);

	test("are hidden and not requested while several cursors are active", async () => {
		const demo = await openRename();
		const before = await demo.text();
		await demo.call((demo) => demo.addCursor(0, 0));
		const reason = () => demo.call(({ notices }) => notices.at(-1)?.sentence);
		await expect.poll(reason).toBe("No suggestions while there is more than one cursor.");
		expect((await demo.look()).added).toEqual([]);
		await demo.press("Control+ArrowRight", "Alt+\\");
		await demo.type("x");
		await demo.call((demo) => demo.segue?.editor.suggest());
		await demo.allAnswered();
		expect((await demo.look()).added).toEqual([]);
		await demo.press("Control+z", "Escape");
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
		expect(await demo.text()).toBe(before);
	});

	test("appear in a file with 5,000 lines", async () => {
		const demo = await stage.open({ agent: "worker" });
		const [above, below] = ["step(1, 2)\n".repeat(2500), "run()\n".repeat(2500)];
		await demo.open({ uri: URI, languageId: "typescript", text: above + RENAME + below });
		const at = above.length + RENAME.indexOf("cnt");
		await demo.replace(0, at, at + 3, "count");
		await acceptUntil(demo, above + RENAMED + below);
	});

	test.for([false, true])(
		"leave Tab and Escape to the completion list and to snippets, unless keysFirst is %s",
		async (keysFirst) => {
			const demo = await stage.open({ agent: "worker", keysFirst });
			await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
			await rename(demo);
			const before = await demo.text();
			const end = before.length;
			const list = demo.page.locator(".cm-tooltip-autocomplete");
			await demo.select(0, end);
			await demo.press("Control+Space");
			await list.waitFor();
			const badge = demo.page.locator(".segue-badge");
			if (keysFirst) {
				expect(await badge.isVisible()).toBe(true);
				await demo.press("Tab");
				await expect.poll(() => demo.text()).toContain('log("cnt", count)');
				return;
			}
			await badge.waitFor({ state: "hidden" });
			await demo.press("Escape");
			await list.waitFor({ state: "detached" });
			await badge.waitFor({ state: "visible" });
			expect((await demo.look()).added).toEqual(["count"]);
			await demo.press("Control+Space");
			await list.waitFor();
			await demo.press("Tab");
			await expect.poll(() => demo.text()).toBe(`${before}pair(first, second)`);
			await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
			await demo.press("Tab");
			await demo.type("x");
			expect(await demo.text()).toBe(`${before}pair(first, x)`);
			await demo.press("Escape", "Escape");
			await expect.poll(() => demo.call(({ shown }) => shown?.kind)).toBe(undefined);
		},
	);

	test("are not available in a file of more than 20 million characters, and the page says so", async () => {
		const demo = await openRename();
		await demo.call((demo) => {
			return demo.open({ uri: "file:///project/b.ts", languageId: "typescript", text: "x\n".repeat(10_000_001) });
		});
		const status = demo.page.locator("#status");
		await expect.poll(() => status.textContent()).toBe("This file is too large for suggestions.");
		await demo.type("y");
		expect(await demo.call((demo) => demo.view(1).state.sliceDoc(0, 2))).toBe("yx");
		const before = await demo.text();
		await demo.press("Tab");
		expect(await demo.text()).toBe(before);
		await demo.select(0, 3);
		await expect.poll(async () => (await demo.look(0)).added.length).toBeGreaterThan(0);
	});

	test("name no key if the page turned off the one that accepts", async () => {
		const demo = await stage.open({ agent: "worker", keys: { accept: "" } });
		await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
		await rename(demo);
		await expect.poll(async () => (await demo.look()).badge[0]?.trim()).toBe("Accept");
	});

	test("use the page's keys", async () => {
		const keys = { accept: "Mod-Enter", dismiss: "Mod-Escape", request: "" };
		const demo = await stage.open({ agent: "worker", keys });
		await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
		await rename(demo);
		await expect.poll(async () => (await demo.look()).badge).toEqual(["Ctrl Enter Accept"]);
		const before = await demo.text();
		await demo.press("Escape");
		expect((await demo.look()).added).toEqual(["count"]);
		await demo.press("Control+Enter");
		await expect.poll(() => demo.text()).not.toBe(before);
	});

	test("disappear when the plugin is closed, and the views stay usable", async () => {
		const demo = await openRename();
		await demo.call((demo) => demo.segue?.close());
		expect((await demo.look()).added).toEqual([]);
		await demo.type("x");
		expect(await demo.text()).toContain("countx");
	});

	test("are announced to screen readers", async () => {
		const demo = await stage.open({ agent: "worker" });
		await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
		// CodeMirror clears an announcement after 200 ms, so collect all of them.
		const announced = await demo.page.locator(".cm-announced").evaluateHandle((element) => {
			const texts: (string | null)[] = [];
			new MutationObserver(() => texts.push(element.textContent)).observe(element, { childList: true, subtree: true });
			return texts;
		});
		await rename(demo);
		const texts = () => announced.evaluate((all) => all.join("\n"));
		await expect.poll(texts).toContain("Suggestion: Renaming `cnt` to `count`");
	});

	test("are shown as a chip if the page must scroll to them, because the editor has no height of its own", async () => {
		const demo = await stage.open({ agent: "worker" });
		const text = `const cnt = 0\n${"step()\n".repeat(80)}log(cnt)\n`;
		await demo.open({ uri: URI, languageId: "typescript", text, height: "auto" });
		await rename(demo);
		await expect.poll(() => demo.call(({ shown }) => shown?.as)).toBe("chip");
		const { y = 0, height = 0 } = (await demo.page.locator(".segue-chip").boundingBox()) ?? {};
		expect([y > 0, y + height < (demo.page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
		await demo.press("Tab");
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
		await demo.press("Tab");
		await expect.poll(() => demo.text()).toContain("log(count)");
	});

	test("continue in a view that shows one file after another", async () => {
		const demo = await openRename();
		await demo.call((demo) => demo.replaceFile(0, { uri: "file:///project/b.ts", languageId: "typescript" }));
		await expect.poll(() => demo.call(({ shown }) => shown?.kind)).toBe(undefined);
		await demo.replace(0, 6, 11, "total");
		await expect.poll(() => demo.call(({ shown }) => shown?.uri)).toBe("file:///project/b.ts");
	});

	test("end when their view is destroyed", async () => {
		const demo = await openRename();
		await demo.call((demo) => demo.view(0).destroy());
		await expect.poll(() => demo.call(({ shown }) => shown?.kind)).toBe(undefined);
		expect(await demo.call((demo) => demo.segue?.editor.current)).toBe(undefined);
	});

	async function openRename(): Promise<DemoPage> {
		const demo = await stage.open({ agent: "worker" });
		await demo.open({ uri: URI, languageId: "typescript", text: RENAME });
		await rename(demo);
		return demo;
	}

	/** Adds a colour in two of three places, and goes to the third, where the suggestion is ghost text. */
	async function openColours(lineSeparator = "\n"): Promise<DemoPage> {
		const demo = await stage.open({ agent: "worker" });
		const text = COLOURS.replaceAll("\n", lineSeparator);
		await demo.open({ uri: "file:///project/a.rs", languageId: "rust", text, lineSeparator, height: "500px" });
		const member = COLOURS.indexOf("Green,") + "Green,".length;
		await demo.paste(0, member, "\n    Blue,");
		const name = (await demo.text()).indexOf('"green",') + '"green",'.length;
		await demo.paste(0, name, '\n        Color::Blue => "blue",');
		await demo.select(0, (await demo.text()).indexOf('code_of("green"),') + 'code_of("green"),'.length);
		await expect.poll(async () => (await demo.look()).ghost.join("")).toBe(BLUE);
		return demo;
	}
});

/** Renames `cnt` in the first line, and waits for the suggestion. */
async function rename(demo: DemoPage): Promise<void> {
	await demo.replace(0, 6, 9, "count");
	await expect.poll(() => demo.call(({ shown }) => shown?.kind)).toBe("edit");
}

/** Presses Tab at each suggestion until the first view has this text. */
async function acceptUntil(demo: DemoPage, text: string): Promise<void> {
	let last: string | undefined;
	while ((await demo.text()) !== text) {
		const next = () => demo.call(({ shown }) => shown && `${shown.id} ${shown.as} ${shown.place}`);
		await expect.poll(async () => [undefined, last].includes(await next()) && (await demo.text()) !== text).toBe(false);
		last = await next();
		if (last !== undefined) await demo.press("Tab");
	}
}

/** Returns the number of spaces before the cursor. */
async function indentationIn(demo: DemoPage): Promise<number> {
	const { text, head } = await demo.look();
	return head - (text.lastIndexOf("\n", head - 1) + 1);
}
