import path from "node:path";
import { inBrowser, inBrowserAlways } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { shellQuoted } from "@segue/text";
import { expect, test } from "vitest";

const clone = path.join(import.meta.dirname, "..", "..");

inBrowserAlways("the guide", (stage) => {
	test("teaches four lessons, advances automatically, and does not return after it is finished", async () => {
		const play = await stage.open();
		const { guide } = play;
		await expect.poll(() => guide.textContent()).toContain("Lesson 1 of 4: Rename");
		await play.rename("cnt", "count");
		await expect.poll(() => guide.textContent()).toContain("Press Tab to accept it");
		await accept(play, "‹cnt→count› += 1;");
		await expect.poll(() => guide.textContent()).toContain("until every cnt is renamed");
		await accept(play, "if (‹cnt→count› > 10) total *= 0.95;");
		await accept(play, 'console.log("items:", ‹cnt→count›);');
		await next(play, "Lesson 2 of 4: Across files");

		expect(await play.file.textContent()).toBe("item.ts");
		await play.rename("priceOf", "costOf");
		await expect.poll(() => guide.textContent()).toContain("A badge then points to the next file");
		await accept(play, 'return item.name + " (" + ‹priceOf→costOf›(item).toFixed(2) + ")";');
		await expect.poll(() => play.chip.textContent()).toContain("→ cart.ts");
		await play.press("Tab");
		await expect.poll(() => guide.textContent()).toContain("accept the edit in this file");
		await accept(play, 'import { Item, ‹priceOf→costOf› } from "./item";');
		await guide.getByText("That's the idea. Keep pressing Tab to finish the rename.").waitFor();
		expect(await guide.locator(".icon-check").count()).toBe(0);
		await accept(play, "total += ‹priceOf→costOf›(item);");
		await accept(play, "if (best === undefined || ‹priceOf→costOf›(item) < ‹priceOf→costOf›(best)) best = item;");
		await expect.poll(() => play.chip.textContent()).toContain("→ receipt.ts");
		await play.press("Tab");
		await accept(play, 'import { Item, labelOf, ‹priceOf→costOf› } from "./item";');
		await accept(play, "const dearest = items.filter((item) => ‹priceOf→costOf›(item) > 100);");
		await guide.getByText("Done. The first Tab goes to another file").waitFor();
		expect(await guide.locator(".icon-check").count()).toBe(1);
		await next(play, "Lesson 3 of 4: Repeated change");

		await play.rename("args.host", 'args.get("host")');
		await expect.poll(() => guide.textContent()).toContain("Do the same on the next line");
		await play.goToEndOf(5);
		await play.press("ArrowLeft");
		await play.rename("args.port", 'args.get("port")');
		await expect.poll(() => guide.textContent()).toContain("Segue has seen the pattern");
		await accept(play, 'path: args.‹→get("›path‹→")›,');
		await next(play, "Lesson 4 of 4: Dismiss, ask again and undo");

		await play.rename("nm", "name");
		await expect.poll(() => guide.textContent()).toContain("Press Esc to dismiss it");
		await play.press("Escape");
		await expect.poll(() => guide.textContent()).toContain("request the next use of nm now");
		await play.press("Alt+\\");
		await expect.poll(() => guide.textContent()).toContain("Press Tab to accept this one");
		const before = await play.text();
		await play.press("Tab");
		await expect.poll(() => guide.textContent()).toContain("undo");
		expect(await play.text()).not.toBe(before);
		await play.press("Control+z");
		await expect.poll(() => guide.textContent()).toContain("You decide");
		const command = guide.getByText(`cd ${shellQuoted(clone)} && npm run install:vscode`);
		await command.waitFor();
		await expectWhole(guide, command);
		await guide.getByRole("combobox", { name: "Your editor" }).selectOption("Neovim");
		await guide.getByText(/npm install --global .* && segue setup editor neovim --with sidekick$/).waitFor();
		expect(await play.text()).toBe(before);
		await expect.poll(() => play.line.textContent()).toBe("Change undone. Keep editing to get suggestions.");
		await guide.getByRole("button", { name: "Finish" }).click();
		await guide.waitFor({ state: "detached" });
		await expect.poll(() => play.file.textContent()).toBe("stats.py");
		await play.page.getByRole("button", { name: "Use in your editor" }).click();
		const dialog = play.page.getByRole("dialog", { name: "Use Segue in your editor" });
		await dialog.getByText(`cd ${shellQuoted(clone)} && npm run install:vscode`).waitFor();
		await dialog.getByRole("button", { name: "Close" }).click();
		await dialog.waitFor({ state: "detached" });

		await play.page.reload();
		await play.ready();
		expect(await guide.count()).toBe(0);
	});
});

inBrowser("the guide and its buttons", (stage) => {
	test("can be skipped permanently, and started again from the header", async () => {
		const play = await stage.open();
		await play.guide.getByRole("button", { name: "Skip guide" }).click();
		await play.guide.waitFor({ state: "detached" });
		await play.page.reload();
		await play.ready();
		expect(await play.guide.count()).toBe(0);
		expect(await play.page.locator(".hint").textContent()).toContain("rename cnt");
		await play.chooseProject("Go: job queue");
		await play.page.getByRole("button", { name: "Guide", exact: true }).click();
		await expect.poll(() => play.guide.textContent()).toContain("Lesson 1 of 4");
		expect(await play.file.textContent()).toBe("cart.ts");
	});

	test("a sample's hint disappears once it is done, in other files, and when it is closed", async () => {
		const play = await stage.open();
		await play.guide.getByRole("button", { name: "Skip guide" }).click();
		const hint = play.page.locator(".hint");
		await hint.waitFor();
		await play.rename("cnt", "count");
		for (const place of ["‹cnt→count› += 1;", "if (‹cnt→count› > 10) total *= 0.95;"]) await accept(play, place);
		expect(await hint.count()).toBe(1);
		await accept(play, 'console.log("items:", ‹cnt→count›);');
		await hint.waitFor({ state: "detached" });
		await play.chooseProject("Python: weather station");
		await hint.waitFor();
		await hint.getByRole("button", { name: "Close this hint" }).click();
		await hint.waitFor({ state: "detached" });
		expect(await play.page.locator(".cm-content:focus").count()).toBe(1);
		await play.chooseProject("TypeScript: shop");
		await hint.waitFor();
		await play.page.getByRole("button", { name: "receipt.ts" }).click();
		await hint.waitFor({ state: "detached" });
	});

	test("restarts a lesson with fresh files", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await play.guide.getByText("Press Tab to accept it").waitFor();
		await play.guide.getByRole("button", { name: "Restart" }).click();
		await expect.poll(() => play.text()).toContain("let cnt = 0;");
		await expect.poll(() => play.guide.textContent()).toContain("The cursor is after cnt");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
	});

	test("restarts a lesson with a new session, so that dismissed suggestions return", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Escape");
		await expect.poll(() => play.guide.textContent()).toContain("You dismissed the suggestion");
		await play.guide.getByRole("button", { name: "Restart" }).click();
		await expect.poll(() => play.text()).toContain("let cnt = 0;");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
		await play.rename("cnt", "count");
		// Suggestions are paused for a moment after a dismissal.
		await play.press("Alt+\\");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
	});

	test.for([1280, 800, 400])("has the same height for every text in a window of %i pixels", async (width) => {
		const play = await stage.open({ viewport: { width, height: 800 } });
		const { guide } = play;
		const height = await guide.evaluate((card) => card.clientHeight);
		const fits = async () => {
			expect(await guide.evaluate((card) => card.clientHeight)).toBe(height);
			await expectWhole(guide, guide.locator(".task"));
		};
		await fits();
		await play.rename("cnt", "count");
		await guide.getByText("Press Tab to accept it").waitFor();
		await fits();
		for (const place of ["‹cnt→count› += 1;", "if (‹cnt→count› > 10) total *= 0.95;"]) await accept(play, place);
		await fits();
		await accept(play, 'console.log("items:", ‹cnt→count›);');
		await guide.getByText("Done.").waitFor();
		await fits();
		await guide.getByRole("button", { name: "Next lesson" }).click();
		await guide.getByText("Lesson 2 of 4").waitFor();
		await fits();
		await play.rename("priceOf", "costOf");
		await guide.getByText("A badge then points to the next file").waitFor();
		await fits();
		await expect.poll(() => play.picture()).not.toBe("");
		await play.press("Escape");
		await guide.getByText("You dismissed the suggestion").waitFor();
		await fits();
	});

	test("can be played with a click on each key instead of the keyboard", async () => {
		const play = await stage.open({ viewport: { width: 390, height: 844 }, hasTouch: true });
		const key = (name: string) => play.guide.getByRole("button", { name, exact: true });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await key("Tab").tap();
		await expect.poll(() => play.picture()).toBe("if (‹cnt→count› > 10) total *= 0.95;");
		expect(await play.text()).toContain("count += 1;");
		await play.line.getByRole("button", { name: "Dismiss" }).tap();
		// On a slow machine, a tap can miss the key, because a new reason moves it.
		const askedForNext = async () => {
			// The key disappears if a suggestion arrives in the meantime.
			if (await key("Alt \\").isVisible())
				await key("Alt \\")
					.tap({ timeout: 1000 })
					.catch(() => {});
			return play.picture();
		};
		await expect.poll(askedForNext, { interval: 2000 }).toBe('console.log("items:", ‹cnt→count›);');
	});

	test("continues with the current lesson when it is opened from another project", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await accept(play, "‹cnt→count› += 1;");
		await accept(play, "if (‹cnt→count› > 10) total *= 0.95;");
		await accept(play, 'console.log("items:", ‹cnt→count›);');
		await next(play, "Lesson 2 of 4");
		await play.chooseProject("Go: job queue");
		await play.guide.waitFor({ state: "detached" });
		await play.page.getByRole("button", { name: "Guide", exact: true }).click();
		await expect.poll(() => play.guide.textContent()).toContain("Lesson 2 of 4");
	});

	test("is hidden while another project is open, and returns with its own project", async () => {
		const play = await stage.open();
		await play.guide.waitFor();
		await play.chooseProject("Rust: log reader");
		await play.guide.waitFor({ state: "detached" });
		await play.chooseProject("TypeScript: shop");
		await play.guide.waitFor();
	});

	test("F1 and a button open a list of keyboard shortcuts, which returns the focus when it is closed", async () => {
		const play = await stage.open();
		const dialog = play.page.getByRole("dialog", { name: "Keyboard shortcuts" });
		await play.press("F1");
		await dialog.waitFor();
		const keys = await dialog.locator("dt").allTextContents();
		for (const key of ["Tab", "Alt \\", "Ctrl →", "EscTab"]) expect(keys).toContain(key);
		await play.press("Escape");
		await dialog.waitFor({ state: "detached" });
		expect(await play.page.locator(".cm-content:focus").count()).toBe(1);
		const button = play.page.getByRole("button", { name: "Keyboard shortcuts" });
		await button.focus();
		await play.press("Enter");
		await dialog.getByRole("button", { name: "Close" }).click();
		await dialog.waitFor({ state: "detached" });
		expect(await button.evaluate((element) => element.matches(":focus"))).toBe(true);
	});
});

/** Accepts the suggestion once it is drawn as in `picture`. */
async function accept(play: PlayPage, picture: string): Promise<void> {
	await expect.poll(() => play.picture()).toBe(picture);
	await play.press("Tab");
}

/** Expects that no part of an element in the guide is cut off or outside the guide. */
async function expectWhole(guide: PlayPage["guide"], part: PlayPage["guide"]): Promise<void> {
	const cut = await part.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => {
		// An inline element has no size of its own.
		return [clientWidth && scrollWidth - clientWidth, clientHeight && scrollHeight - clientHeight];
	});
	expect(cut).toEqual([0, 0]);
	const [inner, outer] = await Promise.all([part.boundingBox(), guide.boundingBox()]);
	const bottom = (box: typeof inner) => (box?.y ?? 0) + (box?.height ?? 0);
	const right = (box: typeof inner) => (box?.x ?? 0) + (box?.width ?? 0);
	expect(bottom(inner)).toBeLessThanOrEqual(bottom(outer));
	expect(right(inner)).toBeLessThanOrEqual(right(outer));
}

async function next(play: PlayPage, title: string): Promise<void> {
	await play.guide.getByText("Done.").waitFor();
	await play.guide.getByRole("button", { name: "Next lesson" }).click();
	await expect.poll(() => play.guide.textContent()).toContain(title);
	await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
}
