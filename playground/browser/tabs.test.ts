import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

inBrowser("the tabs of a folder", (stage) => {
	test.for([1280, 390])("stay in one row with the active tab visible, at a width of %i pixels", async (width) => {
		for (let i = 1; i <= 7; i++) stage.server.home.write(`project/a-long-name-of-a-file-${i}.ts`, "one\ntwo\n");
		const play = await stage.open({ viewport: { width, height: 800 } });
		await play.openFolder(stage.server.home.project, "a-long-name-of-a-file-1.ts");
		for (let i = 2; i <= 6; i++) {
			await play.openFile(`a-long-name-of-a-file-${i}.ts`);
			await expect.poll(() => play.file.textContent()).toContain(`-${i}.ts`);
		}
		await expect.poll(() => outOfSight(play, width)).toEqual([]);
		const tops = await play.page.getByRole("button", { name: /^Close/ }).evaluateAll((closing) => {
			return closing.map((each) => each.getBoundingClientRect().top);
		});
		const names = await play.page.locator("nav.tabs .tab").evaluateAll((tabs) => {
			return tabs.map((each) => each.getBoundingClientRect().height);
		});
		expect(new Set(tops).size).toBe(1);
		expect(Math.max(...names)).toBeLessThan(40);
		await play.page.getByRole("button", { name: "a-long-name-of-a-file-1.ts", exact: true }).focus();
		await play.press("Enter");
		await expect.poll(() => outOfSight(play, width)).toEqual([]);
	});

	test("keys handled by an input method in the filter do not open a file", async () => {
		for (let i = 1; i <= 8; i++) stage.server.home.write(`project/名前-${i}.ts`, "one\ntwo\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "名前-1.ts");
		await play.page.getByRole("button", { name: "Open a file" }).click();
		const filter = play.page.getByRole("searchbox", { name: "Open a file" });
		await filter.fill("名前");
		const walked = play.page.getByRole("option", { selected: true });
		await expect.poll(() => walked.textContent()).toBe("名前-2.ts");
		for (const key of ["ArrowDown", "Enter"]) expect(await play.compose(filter, key), key).toBe("ignored");
		expect(await walked.textContent()).toBe("名前-2.ts");
		await play.press("Enter");
		await expect.poll(() => play.file.textContent()).toBe("名前-2.ts");
	});

	test("the list shows the first files of many, and the filter finds the others", async () => {
		for (let i = 0; i < 250; i++) stage.server.home.write(`project/many/part-${i}.ts`, "one\ntwo\n");
		stage.server.home.write("project/one.ts", "one\ntwo\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "many/part-0.ts");
		await play.page.getByRole("button", { name: "Open a file" }).click();
		const options = play.page.getByRole("option");
		await expect.poll(() => options.count()).toBe(200);
		await play.page.getByText(/^and \d+ more$/).waitFor();
		await play.type("nowhere");
		await play.page.getByText("No matches.").waitFor();
		await play.press("Control+a");
		await play.type("part-249");
		await expect.poll(() => options.allTextContents()).toEqual(["many/part-249.ts"]);
		await play.press("Enter");
		await expect.poll(() => play.file.textContent()).toBe("part-249.ts");
	});

	test("files with the same name are shown with their folders, and the hint disappears when a file is open", async () => {
		stage.server.home.write("project/cart/index.ts", "one\ntwo\n");
		stage.server.home.write("project/item/index.ts", "one\ntwo\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "cart/index.ts");
		expect(await play.file.textContent()).toBe("index.ts");
		expect(await play.page.getByText("Choose a file to open it").count()).toBe(0);
		await play.openFile("item/index.ts");
		const tabs = play.page.locator("nav.tabs .tab > button:first-child");
		await expect.poll(() => tabs.allTextContents()).toEqual(["cart/index.ts", "item/index.ts"]);
		for (const name of ["Close cart/index.ts", "Close item/index.ts"]) {
			await play.page.getByRole("button", { name }).click();
		}
		await play.page.getByText("Choose a file to open it").waitFor();
	});
});

/** Returns the parts of the tab row that are outside the window. */
async function outOfSight({ page, file }: PlayPage, width: number): Promise<string[]> {
	const needed = { file, list: page.getByRole("button", { name: "Open a file" }) };
	const beyond: string[] = [];
	for (const [name, part] of Object.entries(needed)) {
		const box = await part.boundingBox();
		if (box === null || box.x < 0 || box.x + box.width > width) beyond.push(name);
	}
	return beyond;
}
