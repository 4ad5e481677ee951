import { inBrowser, inBrowserAlways } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

inBrowserAlways("the playground", (stage) => {
	test("opens with a sample, a connection and the guide's first lesson", async () => {
		const play = await stage.open();
		expect(await play.file.textContent()).toBe("cart.ts");
		expect(await play.guide.textContent()).toContain("delete cnt and type count");
		expect(await play.text()).toContain("let cnt = 0;");
		expect(await play.added.count()).toBe(0);
	});

	test("suggests the next use of a renamed variable, and Tab accepts one suggestion after another", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		for (const place of [
			"‹cnt→count› += 1;",
			"if (‹cnt→count› > 10) total *= 0.95;",
			'console.log("items:", ‹cnt→count›);',
		]) {
			await expect.poll(() => play.picture()).toBe(place);
			expect(await play.why.textContent()).toContain("Renaming cnt to count");
			await play.press("Tab");
		}
		await expect.poll(() => play.text()).not.toContain("cnt");
		expect(await play.text()).toContain('console.log("items:", count);');
		await play.added.waitFor({ state: "detached" });
		await expect.poll(() => play.line.textContent()).toBe("Done. No more edits to suggest.");
	});
});

inBrowser("suggestions in the playground", (stage) => {
	test("dismisses a suggestion with Esc, and does not suggest it again", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toContain("‹cnt→count›");
		await play.press("Escape");
		await expect.poll(() => play.picture()).toBe("");
		expect(await play.line.textContent()).toBe("Suggestion dismissed.");
		const rest = ["if (‹cnt→count› > 10) total *= 0.95;", 'console.log("items:", ‹cnt→count›);'];
		for (const place of rest) {
			// Press the key, because there are no automatic suggestions for a while after a dismissal.
			await play.press("Alt+\\");
			await expect.poll(() => play.picture()).toBe(place);
			await play.press("Escape");
			await expect.poll(() => play.picture()).toBe("");
		}
		await play.press("Alt+\\");
		await expect.poll(() => play.line.textContent()).toContain("dismissed this suggestion before");
		expect(await play.picture()).toBe("");
		expect(await play.text()).toContain("cnt += 1;");
	});

	test("ignores surplus Tabs after the last suggestion was accepted, then indents again and says so", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		for (const place of ["‹cnt→count› += 1;", "if (‹cnt→count› > 10) total *= 0.95;"]) {
			await expect.poll(() => play.picture()).toBe(place);
			await play.press("Tab");
		}
		await expect.poll(() => play.picture()).toBe('console.log("items:", ‹cnt→count›);');
		await play.stopTime();
		await play.press("Tab");
		await expect.poll(() => play.text()).not.toContain("cnt");
		const done = await play.text();
		for (let presses = 0; presses < 3; presses++) {
			await play.press("Tab");
			expect(await play.text()).toBe(done);
			await play.passTime(1000);
		}
		await play.passTime(1000);
		await play.press("Tab");
		expect(await play.text()).not.toBe(done);
		await play.passTime(1000);
		expect(await play.line.textContent()).toContain("Tab indented the code, because there is no suggestion.");
	});

	test("shows no reason while the user types, or while the guide asks for an edit by hand", async () => {
		const play = await stage.open();
		await play.goToEndOf(2);
		await play.stopTime();
		await play.type("x");
		await play.passTime(2000);
		expect(await play.line.textContent()).toBe("");
		await play.guide.getByRole("button", { name: "Skip guide" }).click();
		await play.type("y");
		await play.passTime(400);
		expect(await play.line.textContent()).toBe("");
		await play.passTime(1000);
		await expect.poll(() => play.line.textContent()).toBe("Segue's rules found no likely next edit.");
	});

	test("shows the whole badge on a line that is as long as the editor is wide", async () => {
		const play = await stage.open({ viewport: { width: 1280, height: 800 } });
		await play.goToEndOf(16);
		await play.press("Home", ...Array.from("let best", () => "ArrowRight"));
		await play.rename("best", "lowest");
		await play.badge.waitFor();
		const scroller = play.page.locator(".cm-scroller");
		const fits = async () => {
			const [badge, editor] = await Promise.all([play.badge.boundingBox(), scroller.boundingBox()]);
			return (badge?.x ?? 0) + (badge?.width ?? 0) <= (editor?.x ?? 0) + (editor?.width ?? 0);
		};
		await expect.poll(fits).toBe(true);
		const [line, badge] = await Promise.all([
			play.page.locator(".cm-line", { has: play.badge }).boundingBox(),
			play.badge.boundingBox(),
		]);
		// It does not cover the code of its line.
		expect(badge?.y).toBeGreaterThanOrEqual((line?.y ?? 0) + (line?.height ?? 0) - 4);
	});

	test("shows text inserted at the cursor as ghost text, which Tab accepts", async () => {
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

	test("does not draw a suggestion that was dismissed while another file was active", async () => {
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

	test("points to a suggestion in another file: the first Tab goes there, the second accepts it", async () => {
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

	test("has buttons for the keys, for touch screens", async () => {
		const play = await stage.open({ viewport: { width: 390, height: 800 }, hasTouch: true });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.line.getByRole("button", { name: "Accept" }).tap();
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		expect(await play.text()).toContain("count += 1;");
		await play.line.getByRole("button", { name: "Dismiss" }).tap();
		await expect.poll(() => play.picture()).toBe("");
		expect(await play.text()).toContain("if (cnt > 10)");
	});

	test("names the Mac keys on a Mac, and accepts with them", async () => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		await addColour(play);
		await play.goToEndOf(18);
		await expect.poll(() => play.line.textContent()).toContain("⌘ → Next word");
		expect(await play.line.textContent()).not.toContain("Ctrl");
		await play.press("Meta+ArrowRight");
		await expect.poll(() => play.text()).toContain('code_of("green"),\n        Color\n');
	});

	test("moves the cursor by words if the suggestion is not at the cursor", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.line.textContent()).not.toContain("→ Next word");
		const before = await play.text();
		await play.press("Control+ArrowRight");
		await play.type("!");
		expect(await play.text()).toBe(before.replace("let count = 0;", "let count =! 0;"));
	});

	test("accepts nothing in another file when the user presses the keys for words and lines", async () => {
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

	test("accepts the next word with a click, wherever the cursor is", async () => {
		const play = await stage.open();
		await addColour(play);
		await play.added.waitFor();
		await play.line.getByRole("button", { name: "Next word" }).click();
		await expect.poll(() => play.text()).toContain('code_of("green"),\n        Color\n');
	});

	test("has no buttons for the next word and line of a suggestion that is a single word", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.line.getByRole("button").allTextContents()).toEqual(["Tab Accept", "Esc Dismiss"]);
	});

	test.for([
		["a window", { width: 1280, height: 800 }],
		["a phone", { width: 390, height: 844 }],
	] as const)("scrolls right to a suggestion before it accepts it, in %s", async ([, viewport]) => {
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

	test("scrolls left to a suggestion before it accepts it", async () => {
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

	test("marks a suggestion with the key at the end of its line and an arrow in the gutter", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.badge.textContent()).toBe("Tab Accept");
		const arrow = play.page.locator(".cm-gutterElement.segue-arrow");
		expect(await arrow.textContent()).toBe("8");
		const [line, badge] = await Promise.all([arrow.boundingBox(), play.badge.boundingBox()]);
		expect(Math.abs((line?.y ?? 0) - (badge?.y ?? 100))).toBeLessThan(10);
		await play.badge.click();
		await expect.poll(() => play.text()).toContain("count += 1;");
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		expect(await play.page.locator(".cm-content:focus").count()).toBe(1);
		await play.press("Escape");
		await play.badge.waitFor({ state: "detached" });
		await expect.poll(() => arrow.count()).toBe(0);
	});

	test("hides the badge where Tab indents instead", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await play.badge.waitFor();
		await play.press("ArrowDown", "Home");
		await expect.poll(() => play.badge.isVisible()).toBe(false);
		await play.press("End");
		await expect.poll(() => play.badge.isVisible()).toBe(true);
	});

	test("marks the target of a jump in the text, and Tab goes there", async () => {
		stage.server.home.write("project/jump.rs", JUMP);
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "jump.rs");
		await play.goToEndOf(1);
		await play.press("ArrowLeft", "ArrowLeft");
		await play.rename("u8", "Option<u8>");
		await expect.poll(() => play.badge.textContent()).toBe("Tab Jump here");
		const line = play.page.locator(".cm-line", { has: play.page.locator("[data-segue=target]") });
		expect(await line.textContent()).toContain("show(first(all));");
		expect(await play.chip.count()).toBe(0);
		await play.press("Tab");
		await play.badge.waitFor({ state: "detached" });
		await expect.poll(() => play.page.locator(".cm-activeLine").textContent()).toContain("show(first(all));");
	});

	test("briefly highlights the text of an accepted suggestion", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		const landed = play.page.locator(".segue-landed");
		await play.page.evaluate(() => {
			const played: string[] = [];
			Object.assign(globalThis, { played });
			document.addEventListener("animationstart", ({ animationName }) => played.push(animationName));
		});
		await play.press("Tab");
		const played = () => play.page.evaluate(() => (globalThis as unknown as { played: string[] }).played);
		await expect.poll(played).toContain("segue-landed");
		await landed.waitFor({ state: "detached" });
	});

	test("does not animate for users who ask for reduced motion", async () => {
		const play = await stage.open({ reducedMotion: "reduce" });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		const landed = play.page.locator(".segue-landed").first();
		await landed.waitFor();
		expect(await landed.evaluate((element) => getComputedStyle(element).animationName)).toBe("none");
	});

	test("keeps the indentation of the file when Enter starts a line", async () => {
		stage.server.home.write("project/two.ts", "if (a) {\n  b();\n}\n");
		stage.server.home.write("project/notes.txt", "   three\n\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "two.ts");
		await play.goToEndOf(2);
		await play.type("\nif (c) {\nd();");
		await expect.poll(() => play.text()).toBe("if (a) {\n  b();\n  if (c) {\n    d();\n}\n");
		await play.openFile("notes.txt");
		await expect.poll(() => play.file.textContent()).toBe("notes.txt");
		await play.goToEndOf(1);
		await play.type("\nfour");
		await expect.poll(() => play.text()).toBe("   three\n   four\n\n");
	});

	test("snoozes suggestions from the status bar, and ends the snooze", async () => {
		const play = await stage.open();
		await play.pick("Snooze", "5 minutes");
		const snoozed = play.page.getByRole("button", { name: "Snoozed: 5 minutes" });
		await snoozed.waitFor();
		await play.rename("cnt", "count");
		await play.line.getByText("snoozed").waitFor();
		expect(await play.picture()).toBe("");
		await play.pick("Snoozed", "End snooze");
		await snoozed.waitFor({ state: "detached" });
		await play.press("Alt+\\");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
	});

	test("points to a suggestion that is not visible, and Tab scrolls to it", async () => {
		const play = await stage.open({ viewport: { width: 1280, height: 220 } });
		await play.rename("cnt", "count");
		await expect.poll(() => play.chip.textContent()).toContain("↓");
		expect(await play.picture()).toBe("");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		expect(await play.chip.count()).toBe(0);
	});

	/** Opens a file with a line that is too long for any screen. */
	async function openLong(play: PlayPage, text: string): Promise<void> {
		stage.server.home.write("project/long.ts", text);
		await play.openFolder(stage.server.home.project, "long.ts");
	}

	/** Adds a colour to an enum and to one of two functions, so that the same edit is suggested for the other function. */
	async function addColour(play: PlayPage): Promise<void> {
		stage.server.home.write("project/color.rs", COLOURS);
		await play.openFolder(stage.server.home.project, "color.rs");
		await play.goToEndOf(3);
		await play.type("\nBlue,");
		await play.goToEndOf(10);
		await play.type('\nColor::Blue => "blue",');
	}
});

/** Renames a function in item.ts, and accepts suggestions until the next one is in cart.ts. */
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

const JUMP = `fn first(all: &[u8]) -> u8 {
}

fn main() {
    show(first(all));
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
