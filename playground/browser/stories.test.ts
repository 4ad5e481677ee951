import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

const STORY = "A renamed variable is renamed wherever it is used";
// How far the page's clock goes at a time: shorter than anything that a story waits for.
const TICK_MS = 50;

inBrowser("the stories", (stage) => {
	test("a story plays by itself to its end, and then the editor is the person's", async () => {
		const play = await begin();
		await until(play, () => play.page.getByText("That was the story").isVisible());
		expect(await play.text()).toBe(
			["const count = items.length", 'log("cnt", count, count)', "if (count > 3) return count"].join("\n"),
		);
	});

	test("a key takes a story over, and what was typed stays", async () => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		await play.page.locator(".cm-content").focus();
		await play.press("Control+End");
		await play.type("mine");
		await until(play, () => play.page.getByText("You have taken over").isVisible());
		expect(await play.text()).toContain("mine");
		expect(await play.text()).toContain("cnt");
	});

	test.for<[string, (play: PlayPage) => Promise<void>, string]>([
		["take", (play) => play.line.getByRole("button", { name: "take" }).click(), 'log("cnt", count,'],
		["reject", (play) => play.line.getByRole("button", { name: "reject" }).click(), 'log("cnt", cnt,'],
		["Stop", (play) => play.page.getByRole("button", { name: "Stop" }).click(), 'log("cnt", cnt,'],
	])("the button “%s” takes a story over, and it does nothing more", async ([, press, text]) => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		await press(play);
		await until(play, () => play.page.getByText("You have taken over").isVisible());
		expect(await play.text()).toContain(text);
		// Longer than the story waits between what it does.
		await play.page.clock.runFor(5000);
		expect(await play.text()).toContain(text);
		expect(await play.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
	});

	test("a story that is left in mid-word for a folder writes nothing into its files", async () => {
		stage.server.home.write("project/own.ts", "one\ntwo\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "own.ts");
		await beginIn(play);
		await until(play, async () => /^const (?!cnt |count )\w* = items/.test(await play.text()));
		await play.chooseProject("project");
		await expect.poll(() => play.text()).toBe("one\ntwo\n");
		await until(play, () => play.page.getByText("another project was opened").isVisible());
		expect(await play.text()).toBe("one\ntwo\n");
	});

	test("a story that is taken over while it loads does not begin, and what was typed stays", async () => {
		const play = await stage.open();
		const release = await beginLoading(play);
		await play.page.locator(".cm-content").focus();
		await play.press("Control+Home");
		await play.type("mine ");
		release();
		await play.page.getByText("You have taken over").waitFor();
		expect(await play.text()).toMatch(/^mine /);
	});

	test("a project that is chosen while a story loads stays in front", async () => {
		const play = await stage.open();
		const release = await beginLoading(play);
		await play.chooseProject("Go: a job queue");
		await expect.poll(() => play.text()).toContain("package");
		release();
		await play.page.getByText("another project was opened").waitFor();
		expect(await play.text()).toContain("package");
	});

	/** Starts a story with a clock that stands still until it is told to go on. */
	async function begin(): Promise<PlayPage> {
		return beginIn(await stage.open());
	}

	async function beginIn(play: PlayPage): Promise<PlayPage> {
		const story = play.page.getByRole("button", { name: STORY });
		// The gallery is loaded with the page's own time: where that stands still, it never comes.
		await story.waitFor();
		await play.stopTime();
		await story.click();
		return play;
	}
});

/** Starts a story, and holds what it needs first until it is let go. */
async function beginLoading({ page }: PlayPage): Promise<() => void> {
	const story = page.getByRole("button", { name: STORY });
	await story.waitFor();
	let release = () => {};
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	await page.route("**/healthz", async (route) => {
		await released;
		await route.continue();
	});
	const asked = page.waitForRequest("**/healthz");
	await story.click();
	await asked;
	return release;
}

/** Lets the page's time pass until something is so. */
async function until(play: PlayPage, isReached: () => Promise<boolean>): Promise<void> {
	while (!(await isReached())) await play.passTime(TICK_MS);
}
