import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@segue/testing/playground/browser";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PageRecording } from "@segue/testing/playground/recording";
import { expect, test } from "vitest";

/** The folder for `npm run screenshots`; undefined in other runs. */
const FOLDER = process.env["SCREENSHOTS"];

inBrowser("how the playground looks", (stage) => {
	test.for([
		["light", { width: 1100, height: 620 }],
		["dark", { width: 1100, height: 620 }],
		["narrow", { width: 390, height: 700 }],
	] as const)("shows a suggestion and its keys: %s", async ([name, viewport]) => {
		const colorScheme = name === "dark" ? "dark" : "light";
		const play = await stage.open({ viewport, colorScheme, deviceScaleFactor: 1.5 });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		const { page } = play;
		for (const part of [play.added, play.why, page.getByRole("tablist")]) {
			const box = await part.boundingBox();
			expect(box?.x).toBeGreaterThanOrEqual(0);
			expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
			expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
		}
		const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
		expect(scrollWidth).toBeLessThanOrEqual(viewport.width);
		const taken = await page.locator(".cm-line", { has: play.added }).evaluate((line) => {
			const { color, backgroundColor } = getComputedStyle(line.querySelector("[data-segue=added]") ?? line);
			return { color, backgroundColor, page: getComputedStyle(document.body).backgroundColor };
		});
		// New text looks different from the text around it.
		expect(taken.backgroundColor).not.toBe(taken.page);
		if (FOLDER === undefined) return;
		await page.screenshot({ path: path.join(FOLDER, `playground-${name}.png`), animations: "disabled" });
	});

	test.runIf(FOLDER !== undefined)("records a rename for the README", async () => {
		const viewport = { width: 960, height: 540 };
		const play = await stage.open({ viewport, colorScheme: "light", deviceScaleFactor: 1 });
		await play.page.getByRole("button", { name: "Skip guide" }).click();
		await play.page.locator(".cm-content").focus();
		await play.goToEndOf(4);
		await play.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft");
		const recording = new PageRecording(play.page);
		await recording.frame(1200);
		for (const key of ["Backspace", "Backspace", "Backspace", ..."count"]) {
			await play.press(key);
			await recording.frame(120);
		}
		for (const picture of ["‹cnt→count› += 1;", "if (‹cnt→count› > 10)", 'console.log("items:", ‹cnt→count›);']) {
			await expect.poll(() => play.picture()).toContain(picture);
			await recording.frame(1600);
			await play.press("Tab");
			await expect.poll(() => play.picture()).not.toContain(picture);
		}
		await recording.frame(2500);
		const gif = recording.encode();
		expect(gif.length).toBeLessThan(1_000_000);
		writeFileSync(path.join(FOLDER ?? "", "next-edit.gif"), gif);
	});

	test("has controls large enough for a finger on a phone, and does not cut off text", async () => {
		const play = await stage.open({ viewport: { width: 390, height: 844 } });
		const { page } = play;
		await play.rename("cnt", "aNameThatIsAsLongAsNamesAreWhenNobodyThoughtAboutThem");
		await play.why.waitFor();
		expect(await play.why.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
		await page.locator(".stories .feature").first().waitFor();
		for (const buttons of [play.line.getByRole("button"), page.locator(".stories button")]) {
			const heights = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
			expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
		}
		// The line is too long for the screen.
		await play.line.getByRole("button", { name: "Jump there" }).click();
		await play.line.getByRole("button", { name: "Accept" }).click();
		await play.openPanel("Statistics");
		await page.getByRole("button", { name: "On this machine" }).click();
		const stored = page.getByRole("region", { name: "Suggestions on this machine" });
		await expect
			.poll(async () => {
				await stored.getByRole("button", { name: "Refresh" }).click();
				return stored.getByRole("table").count();
			})
			.toBe(1);
		for (const table of await page.getByRole("table").all()) {
			const box = await table.boundingBox();
			expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
		}
	});

	test.for([
		{ width: 400, height: 800 },
		{ width: 400, height: 450 },
		{ width: 320, height: 568 },
		{ width: 640, height: 400 },
	])("shows every item of the status bar without overlaps: $width × $height", async (viewport) => {
		const play = await stage.open({ viewport });
		const { page } = play;
		await play.rename("cnt", "count");
		await play.why.waitFor();
		expect(await misplacedIn(page)).toEqual([]);
		await page.locator(".session .picker").click();
		await page.getByRole("option").last().click();
		await page.getByRole("button", { name: "Snoozed" }).waitFor();
		expect(await misplacedIn(page)).toEqual([]);
		const height = (await page.locator(".status-bar").boundingBox())?.height;
		expect(height).toBeLessThan(viewport.height / 3);
	});

	test.for(["light", "dark"] as const)("shows search results with enough contrast: %s", async (colorScheme) => {
		const play = await stage.open({ colorScheme });
		await play.press("Control+f");
		await play.page.locator(".cm-search").waitFor();
		await play.type("total");
		await play.press("Enter");
		const match = play.page.locator(".cm-searchMatch-selected");
		await match.waitFor();
		const worst = await match.evaluate((element) => {
			const luminance = (colour: string) => {
				const channels = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((each) => Number(each) / 255);
				const [r = 0, g = 0, b = 0] = channels.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
				return 0.2126 * r + 0.7152 * g + 0.0722 * b;
			};
			const { backgroundColor } = getComputedStyle(element);
			// With a transparent colour, the contrast would depend on the background behind it.
			if (backgroundColor.includes("/") || backgroundColor.startsWith("rgba")) return 0;
			const back = luminance(backgroundColor);
			const contrasts = ["text", "keyword", "string", "number", "comment", "type", "function", "name", "meta"].map(
				(name) => {
					const probe = document.createElement("span");
					probe.style.color = `var(--${name})`;
					element.append(probe);
					const front = luminance(getComputedStyle(probe).color);
					probe.remove();
					return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
				},
			);
			return Math.min(...contrasts);
		});
		expect(worst).toBeGreaterThanOrEqual(4.5);
	});

	test("marks the active tab, the connection and suggestions with lines in forced-colours mode", async () => {
		const play = await stage.open({ forcedColors: "active" });
		await play.rename("cnt", "count");
		await play.added.first().waitFor();
		const style = (selector: string, property: string, pseudo?: string) => {
			return play.page.evaluate(
				([found, name, part]) => {
					const element = document.querySelector(found);
					return element && getComputedStyle(element, part).getPropertyValue(name);
				},
				[selector, property, pseudo] as const,
			);
		};
		for (const tab of [".tab", "[role=tab]"]) {
			expect(await style(`${tab}.active, ${tab}[aria-selected=true]`, "border-bottom-width")).toBe("3px");
			expect(await style(`${tab}:not(.active, [aria-selected=true])`, "border-bottom-width")).toBe("0px");
		}
		expect(await style(".connection.open", "border-top-width", "::before")).toBe("4px");
		expect(await style("[data-segue=added]", "text-decoration-line")).toBe("underline");
		expect(await style("[data-segue=removed]", "text-decoration-line")).toBe("line-through");
	});
});

/** Returns the items of the status bar that are outside the window, or that overlap another item. */
function misplacedIn(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const items = [...document.querySelectorAll(".connection > *, .why, .reason, .status-bar button")];
		const boxes = items
			.map((item) => ({ name: item.textContent, box: item.getBoundingClientRect() }))
			.filter(({ box }) => box.width > 0);
		const isOver = (a: DOMRect, b: DOMRect) => {
			return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
		};
		return boxes
			.filter(({ box }) => {
				const isOutside = box.left < 0 || box.right > innerWidth || box.bottom > innerHeight + 1;
				return isOutside || boxes.some((other) => other.box !== box && isOver(box, other.box));
			})
			.map(({ name }) => name);
	});
}
