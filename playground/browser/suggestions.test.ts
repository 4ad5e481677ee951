import { PlayPage } from "@segue/testing/play-page";
import { inBrowser } from "@segue/testing/play-stage";
import { expect, test } from "vitest";

inBrowser("suggestions in the playground", (stage) => {
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
		await expect.poll(() => play.line.textContent()).toContain("Nothing follows");
	});

	test("Esc rejects what is offered, and the same does not return", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toContain("‹cnt→count›");
		await play.press("Escape");
		await expect.poll(() => play.picture()).toBe("");
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
		stage.server.home.write("project/color.rs", COLOURS);
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "color.rs");
		await play.goToEndOf(3);
		await play.type("\nBlue,");
		await play.goToEndOf(10);
		await play.type('\nColor::Blue => "blue",');
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

	test("what is in another file is a chip, Tab goes there, and the next Tab takes it", async () => {
		const play = await stage.open();
		await play.page.getByRole("button", { name: "item.ts" }).click();
		await play.goToEndOf(7);
		await play.press("Home", ...Array.from("export function priceOf", () => "ArrowRight"));
		await play.rename("priceOf", "costOf");
		await expect.poll(() => play.picture()).toBe('return item.name + " (" + ‹priceOf→costOf›(item).toFixed(2) + ")";');
		await play.press("Tab");
		await expect.poll(() => play.chip.textContent()).toContain("→ cart.ts");
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
		await play.rename("cnt", "count");
		await expect.poll(() => play.line.textContent()).toContain("⌘ → word");
		expect(await play.line.textContent()).not.toContain("Ctrl");
		await play.press("Meta+ArrowRight");
		await expect.poll(() => play.text()).toContain("count += 1;");
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
});

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
