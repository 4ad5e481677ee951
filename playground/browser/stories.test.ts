import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

// Advances the page's clock by less than any delay in a story.
const TICK_MS = 50;

const GROUPS = [
	"Rename",
	"Repeat a change",
	"Follow a pattern",
	"Complete a list",
	"Adapt a copy",
	"Update calls",
	"Fix errors",
	"Jump",
	"Stay silent",
	"Languages",
];

inBrowser("the stories", (stage) => {
	test("plays a group's featured story to its end, and then leaves the editor to the user", async () => {
		const play = await begin();
		await until(play, () => play.page.getByText("End of the story").isVisible());
		expect(await play.text()).toBe(
			["const count = items.length", 'log("cnt", count, count)', "if (count > 3) return count"].join("\n"),
		);
	});

	test.for(GROUPS)("shows the expected suggestions in the featured story “%s”", async (title) => {
		const play = await begin(title);
		const ending = play.page.locator(".now-playing").getByText(/^(End of|Story|The story)/);
		await until(play, () => ending.isVisible());
		expect(await ending.innerText()).toBe("End of the story. Keep editing if you like.");
	});

	test("shows a suggestion for two seconds, and then the key that accepts it", async () => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		const key = play.page.getByText("The story presses Tab");
		const picture = await play.picture();
		await play.passTime(1500);
		expect([await play.picture(), await key.count()]).toEqual([picture, 0]);
		await until(play, () => key.isVisible());
		expect(await play.picture()).toBe(picture);
		await until(play, async () => (await play.picture()) !== picture);
		await play.page.locator(".cm-content").focus();
		await play.press("ArrowDown");
		await until(play, async () => (await key.count()) === 0);
	});

	test("leaves a story's suggestions out of the statistics", async () => {
		const play = await begin();
		await until(play, () => play.page.getByText("End of the story").isVisible());
		await play.openPanel("Statistics");
		await until(play, () => play.page.getByText("No suggestions yet.").isVisible());
		await play.page.getByRole("button", { name: "On this machine" }).click();
		await until(play, () => play.page.getByText("No outcomes have been stored yet").isVisible());
	});

	test("explains why there is no chat in a story", async () => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		await play.page.getByRole("tab", { name: "Chat" }).click();
		await until(play, () => play.page.getByText("Chat needs files on disk").isVisible());
	});

	test("lists the other stories in a group on request, and plays one", async () => {
		const play = await stage.open();
		const { page } = play;
		const more = page.getByRole("button", { name: "More stories: Jump" });
		expect(await page.locator(".stories .others").count()).toBe(0);
		await more.click();
		const stories = page.locator(".stories .others button");
		await expect.poll(() => stories.count()).toBeGreaterThan(5);
		const title = (await stories.nth(1).textContent()) ?? "";
		await stories.nth(1).click();
		await page.getByText(`Playing: ${title}`).waitFor();
		await page.getByRole("button", { name: "Stop" }).click();
		await page.getByText("Story stopped").waitFor();
		await more.click();
		await expect.poll(() => stories.count()).toBe(0);
	});

	test("stops a story at the first key press, and keeps the text that was typed", async () => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		await play.page.locator(".cm-content").focus();
		await play.press("Control+End");
		await play.type("mine");
		await until(play, () => play.page.getByText("Story stopped").isVisible());
		expect(await play.text()).toContain("mine");
		expect(await play.text()).toContain("cnt");
	});

	test.for<[string, (play: PlayPage) => Promise<void>, string]>([
		["Accept", (play) => play.line.getByRole("button", { name: "Accept" }).click(), 'log("cnt", count,'],
		["Dismiss", (play) => play.line.getByRole("button", { name: "Dismiss" }).click(), 'log("cnt", cnt,'],
		["Stop", (play) => play.page.getByRole("button", { name: "Stop" }).click(), 'log("cnt", cnt,'],
	])("stops a story when the user clicks “%s”", async ([, press, text]) => {
		const play = await begin();
		await until(play, async () => (await play.picture()) !== "");
		await press(play);
		await until(play, () => play.page.getByText("Story stopped").isVisible());
		expect(await play.text()).toContain(text);
		// Longer than any delay in the story.
		await play.page.clock.runFor(5000);
		expect(await play.text()).toContain(text);
		expect(await play.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
	});

	test("writes nothing into a folder that is opened while a story types", async () => {
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

	test("does not start a story if the user types while it loads", async () => {
		const play = await stage.open();
		const release = await beginLoading(play);
		await play.page.locator(".cm-content").focus();
		await play.press("Control+Home");
		await play.type("mine ");
		release();
		await play.page.getByText("Story stopped").waitFor();
		expect(await play.text()).toMatch(/^mine /);
	});

	test("does not start a story if another project is opened while it loads", async () => {
		const play = await stage.open();
		const release = await beginLoading(play);
		await play.chooseProject("Go: job queue");
		await expect.poll(() => play.text()).toContain("package");
		release();
		await play.page.getByText("another project was opened").waitFor();
		expect(await play.text()).toContain("package");
	});

	test("a card keeps its layout while the pointer is on it and while its story plays", async () => {
		const play = await stage.open();
		const card = featured(play, "Jump");
		const layout = () =>
			card.evaluate((button) => {
				const { x, y } = button.getBoundingClientRect();
				return Array.from(button.querySelectorAll(".icon, strong, .remark"), (part) => {
					const box = part.getBoundingClientRect();
					return [box.x - x, box.y - y, box.width, box.height].map(Math.round);
				});
			});
		await card.waitFor();
		const before = await layout();
		await card.hover();
		expect(await layout()).toEqual(before);
		await beginIn(play, "Jump");
		await play.page.getByText("Playing: Jump").waitFor();
		expect(await layout()).toEqual(before);
	});

	/** Starts a story with a stopped clock. */
	async function begin(title = "Rename"): Promise<PlayPage> {
		return beginIn(await stage.open(), title);
	}

	async function beginIn(play: PlayPage, title = "Rename"): Promise<PlayPage> {
		const story = featured(play, title);
		// Load the panel before the clock stops; otherwise, it would never appear.
		await story.waitFor();
		await play.stopTime();
		await story.click();
		return play;
	}
});

function featured({ page }: PlayPage, title = "Rename") {
	return page.getByRole("button", { name: `Play ${title}` });
}

/** Starts a story, and delays the first request for its parts until the returned function is called. */
async function beginLoading(play: PlayPage): Promise<() => void> {
	const { page } = play;
	await featured(play).waitFor();
	let release = () => {};
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	await page.route(
		"**/healthz",
		async (route) => {
			await released;
			await route.continue();
		},
		// Only the first request, because loading another project also sends one.
		{ times: 1 },
	);
	const requested = page.waitForRequest("**/healthz");
	await featured(play).click();
	await requested;
	return release;
}

/** Advances the page's clock until a condition is true. */
async function until(play: PlayPage, isReached: () => Promise<boolean>): Promise<void> {
	while (!(await isReached())) await play.passTime(TICK_MS);
}
