import { inBrowser, inBrowserAlways } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

inBrowserAlways("the playground", (stage) => {
	test("the page opens with a sample, connected, and says what to do first", async () => {
		const play = await stage.open();
		expect(await play.file.textContent()).toBe("cart.ts");
		expect(await play.page.locator(".hint").textContent()).toContain("Rename cnt");
		expect(await play.text()).toContain("let cnt = 0;");
		expect(await play.added.count()).toBe(0);
	});

	test("a renamed variable is offered at its next place, and Tab takes one place after the other", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		for (const place of [
			"‹cnt→count› += 1;",
			"if (‹cnt→count› > 10) total *= 0.95;",
			'console.log("items:", ‹cnt→count›);',
		]) {
			await expect.poll(() => play.picture()).toBe(place);
			expect(await play.why.textContent()).toContain("became");
			await play.press("Tab");
		}
		await expect.poll(() => play.text()).not.toContain("cnt");
		expect(await play.text()).toContain('console.log("items:", count);');
		await play.added.waitFor({ state: "detached" });
		await expect.poll(() => play.line.textContent()).toContain("No suggestion for this change.");
	});
});

inBrowser("suggestions in the playground", (stage) => {
	test("Esc rejects what is offered, and the same does not return", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toContain("‹cnt→count›");
		await play.press("Escape");
		await expect.poll(() => play.picture()).toBe("");
		expect(await play.line.textContent()).toBe("You did not want what was offered.");
		const rest = ["if (‹cnt→count› > 10) total *= 0.95;", 'console.log("items:", ‹cnt→count›);'];
		for (const place of rest) {
			// Asked for by hand, because where something was just rejected nothing is offered for a while.
			await play.press("Alt+\\");
			await expect.poll(() => play.picture()).toBe(place);
			await play.press("Escape");
			await expect.poll(() => play.picture()).toBe("");
		}
		await play.press("Alt+\\");
		await expect.poll(() => play.line.textContent()).toContain("You rejected");
		expect(await play.picture()).toBe("");
		expect(await play.text()).toContain("cnt += 1;");
	});

	test("what is inserted at the cursor is ghost text, which Tab takes", async () => {
		const play = await stage.open();
		await addColour(play);
		await play.added.waitFor();
		expect(await play.ghost.count()).toBe(0);
		await play.goToEndOf(18);
		await play.ghost.waitFor();
		expect(await play.added.count()).toBe(0);
		const offered = await play.ghost.textContent();
		expect(offered?.trim()).toBe('Color::Blue => code_of("blue"),');
		expect(await play.text()).not.toContain(offered);
		await play.press("Tab");
		await expect.poll(() => play.text()).toContain(`code_of("green"),\n${offered}\n    }`);
		expect(await play.ghost.count()).toBe(0);
	});

	test("what was rejected while another file was in front is not drawn any more", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.page.getByRole("button", { name: "item.ts" }).click();
		await play.chip.waitFor();
		await play.press("Escape");
		await play.chip.waitFor({ state: "detached" });
		await play.page.getByRole("button", { name: "cart.ts" }).click();
		await expect.poll(() => play.text()).toContain("let count");
		expect(await play.picture()).not.toBe("‹cnt→count› += 1;");
	});

	test("what is in another file is a chip, Tab goes there, and the next Tab takes it", async () => {
		const play = await stage.open();
		await offerInCart(play);
		expect(await play.file.textContent()).toBe("item.ts");
		await play.press("Tab");
		await expect.poll(() => play.file.textContent()).toBe("cart.ts");
		await expect.poll(() => play.picture()).toBe('import { Item, ‹priceOf→costOf› } from "./item";');
		expect(await play.chip.count()).toBe(0);
		await play.press("Tab");
		await expect.poll(() => play.text()).toContain('import { Item, costOf } from "./item";');
	});

	test("what the keys do can be pressed on the page, as on a phone", async () => {
		const play = await stage.open({ viewport: { width: 390, height: 800 }, hasTouch: true });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.line.getByRole("button", { name: "take" }).tap();
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		expect(await play.text()).toContain("count += 1;");
		await play.line.getByRole("button", { name: "reject" }).tap();
		await expect.poll(() => play.picture()).toBe("");
		expect(await play.text()).toContain("if (cnt > 10)");
	});

	test("on a Mac the hints name the keys that it has, and these take what is offered", async () => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		await addColour(play);
		await play.goToEndOf(18);
		await expect.poll(() => play.line.textContent()).toContain("⌘ → word");
		expect(await play.line.textContent()).not.toContain("Ctrl");
		await play.press("Meta+ArrowRight");
		await expect.poll(() => play.text()).toContain('code_of("green"),\n        Color\n');
	});

	test("a key that moves the cursor by words does so, wherever something is offered that is not at the cursor", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.line.textContent()).not.toContain("→ word");
		const before = await play.text();
		await play.press("Control+ArrowRight");
		await play.type("!");
		expect(await play.text()).toBe(before.replace("let count = 0;", "let count =! 0;"));
	});

	test("a key that moves the cursor by words takes nothing of another file", async () => {
		const play = await stage.open();
		await offerInCart(play);
		const before = await play.text();
		await play.press("Control+ArrowRight", "Control+ArrowDown");
		await play.type("!");
		expect((await play.text()).replace("!", "")).toBe(before);
		expect(await play.file.textContent()).toBe("item.ts");
		await play.page.getByRole("button", { name: "cart.ts", exact: true }).click();
		expect(await play.text()).toContain("import { Item, priceOf }");
	});

	test("words and lines of what is in sight can be taken with a click, wherever the cursor is", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.line.getByRole("button", { name: "word" }).click();
		await expect.poll(() => play.text()).toContain("count += 1;");
	});

	test.for([
		["a window", { width: 1280, height: 800 }],
		["a phone", { width: 390, height: 844 }],
	] as const)("the first Tab never takes what is right of what can be seen in %s", async ([, viewport]) => {
		const play = await stage.open({ viewport });
		await openLong(play, `let cnt = 0;\nconst sum = ${"1 + ".repeat(40)}cnt;\n`);
		await play.press("Control+Home", ...Array.from("let cnt", () => "ArrowRight"));
		await play.rename("cnt", "count");
		await expect.poll(() => play.chip.textContent()).toContain("Tab →");
		expect(await play.picture()).toBe("");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toContain("‹cnt→count›;");
		expect(await play.chip.count()).toBe(0);
		const editor = await play.page.locator(".cm-scroller").boundingBox();
		const added = await play.added.boundingBox();
		expect(rightOf(added)).toBeLessThan(rightOf(editor));
		await play.press("Tab");
		await play.added.waitFor({ state: "detached" });
		expect(await play.text()).toContain("+ count;");
	});

	test("the first Tab never takes what is left of what can be seen", async () => {
		const play = await stage.open();
		await openLong(play, `const sum = ${"1 + ".repeat(40)}1, cnt = 0;\nlog(cnt);\n`);
		await play.goToEndOf(1);
		await play.press(...Array.from(" = 0;", () => "ArrowLeft"));
		await play.rename("cnt", "count");
		await expect.poll(() => play.chip.textContent()).toContain("Tab ←");
		expect(await play.picture()).toBe("");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toBe("log(‹cnt→count›);");
		const gutter = await play.page.locator(".cm-gutters").boundingBox();
		const removed = await play.page.locator("[data-segue=removed]").boundingBox();
		expect(removed?.x).toBeGreaterThan(rightOf(gutter));
	});

	test("what is out of sight is a chip, and Tab brings it into sight", async () => {
		const play = await stage.open({ viewport: { width: 1280, height: 220 } });
		await play.rename("cnt", "count");
		await expect.poll(() => play.chip.textContent()).toContain("↓");
		expect(await play.picture()).toBe("");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.chip.count()).toBe(0);
	});

	/** A file with a line that no screen has room for. */
	async function openLong(play: PlayPage, text: string): Promise<void> {
		stage.server.home.write("project/long.ts", text);
		await play.openFolder(stage.server.home.project, "long.ts");
	}

	/** A colour that one of two functions does not know yet, which is written when the cursor is there. */
	async function addColour(play: PlayPage): Promise<void> {
		stage.server.home.write("project/color.rs", COLOURS);
		await play.openFolder(stage.server.home.project, "color.rs");
		await play.goToEndOf(3);
		await play.type("\nBlue,");
		await play.goToEndOf(10);
		await play.type('\nColor::Blue => "blue",');
	}
});

/** Renames a function in item.ts until what is left of it is in cart.ts. */
async function offerInCart(play: PlayPage): Promise<void> {
	await play.page.getByRole("button", { name: "item.ts" }).click();
	await play.goToEndOf(7);
	await play.press("Home", ...Array.from("export function priceOf", () => "ArrowRight"));
	await play.rename("priceOf", "costOf");
	await expect.poll(() => play.picture()).toBe('return item.name + " (" + ‹priceOf→costOf›(item).toFixed(2) + ")";');
	await play.press("Tab");
	await expect.poll(() => play.chip.textContent()).toContain("→ cart.ts");
}

function rightOf(box: { readonly x: number; readonly width: number } | null): number {
	return box === null ? Number.NaN : box.x + box.width;
}

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
