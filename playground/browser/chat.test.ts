import type { PlayPage } from "@segue/testing/play-page";
import { inBrowser } from "@segue/testing/play-stage";
import { expect, test } from "vitest";

inBrowser("chat in the playground", (stage) => {
	test("without a model the panel says how to get one, and so does the answer", async () => {
		const play = await stage.open();
		await play.openPanel("Chat");
		const log = play.page.getByRole("log");
		await log.getByText("SEGUE_MODEL").first().waitFor();
		await say(play, "hello");
		await expect.poll(() => log.textContent()).toMatch(/hello.*segue login/s);
	});

	test("commands work without a model", async () => {
		const play = await stage.open();
		await play.openPanel("Chat");
		await say(play, "/help");
		await expect.poll(() => play.page.getByRole("log").textContent()).toMatch(/\/help.*\/\w+.*\/\w+/s);
	});
});

async function say({ page }: PlayPage, text: string): Promise<void> {
	await page.getByLabel("What to say").fill(text);
	await page.getByLabel("What to say").press("Enter");
}
