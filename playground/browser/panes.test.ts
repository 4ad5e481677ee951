import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

inBrowser("the handles between the parts of the page", (stage) => {
	test("resize with the keyboard within limits, and Enter resets", async () => {
		const play = await stage.open();
		const handle = play.page.getByRole("separator", { name: "Panels width" });
		await handle.focus();
		const value = async () => Number(await handle.getAttribute("aria-valuenow"));
		const [standard, width] = [await value(), await panelsWidth(play)];
		await play.press("ArrowLeft");
		expect(await value()).toBe(standard + 2);
		expect(await panelsWidth(play)).toBeGreaterThan(width);
		await play.press("Shift+ArrowRight");
		expect(await value()).toBe(standard - 8);
		expect(await panelsWidth(play)).toBeLessThan(width);
		for (const [key, limit] of [
			["End", "aria-valuemax"],
			["Home", "aria-valuemin"],
		] as const) {
			await play.press(key, "ArrowRight", "ArrowLeft", key);
			expect(`${await value()}`).toBe(await handle.getAttribute(limit));
		}
		await play.press("Enter");
		expect(await value()).toBe(standard);
	});

	test("resize with the mouse, and the size stays after a reload", async () => {
		const play = await stage.open();
		const { page } = play;
		const before = await panelsWidth(play);
		const box = await page.getByRole("separator", { name: "Panels width" }).boundingBox();
		if (box === null) throw new Error("there is no handle");
		await page.mouse.move(box.x + box.width / 2, box.y + 200);
		await page.mouse.down();
		await page.mouse.move(box.x - 100, box.y + 220);
		await page.mouse.up();
		await page.mouse.move(box.x + 200, box.y + 220);
		const dragged = await panelsWidth(play);
		expect(dragged - before).toBeGreaterThan(90);
		expect(dragged - before).toBeLessThan(120);
		await page.reload();
		await play.ready();
		expect(await panelsWidth(play)).toBe(dragged);
		await page.getByRole("separator", { name: "Panels width" }).dblclick();
		await expect.poll(() => panelsWidth(play)).toBe(before);
	});

	test("resize the Explorer towards the editor", async () => {
		stage.server.home.write("project/a.ts", "one\ntwo\n");
		const play = await stage.open();
		expect(await play.page.getByRole("separator", { name: "Explorer width" }).count()).toBe(0);
		await play.openFolder(stage.server.home.project, "a.ts");
		const explorer = play.page.getByRole("region", { name: "Explorer" });
		const before = (await explorer.boundingBox())?.width ?? 0;
		await play.page.getByRole("separator", { name: "Explorer width" }).focus();
		await play.press("ArrowRight");
		expect((await explorer.boundingBox())?.width).toBeGreaterThan(before);
	});

	test("are absent on a phone, where the parts are stacked", async () => {
		const play = await stage.open({ viewport: { width: 390, height: 800 } });
		expect(await play.page.getByRole("separator").count()).toBe(0);
	});
});

async function panelsWidth({ page }: PlayPage): Promise<number> {
	return (await page.getByRole("complementary", { name: "Panels" }).boundingBox())?.width ?? 0;
}
