import * as acp from "@segue/protocol/acp";
import { PlayAgent } from "@segue/testing/playground/play-agent";
import { inBrowser, inBrowserAlways } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { deferred } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";

inBrowserAlways("chat without a model", (stage) => {
	test("the panel and the answer explain how to get a model", async () => {
		const play = await stage.open();
		await play.openPanel("Chat");
		const log = play.page.getByRole("log");
		await log.getByText("SEGUE_MODEL").first().waitFor();
		await log.getByText(/^cd .* && npx segue login anthropic$/).waitFor();
		const [panel, copy] = [log, play.page.getByRole("button", { name: "Copy command" }).first()];
		const [outer, inner] = await Promise.all([panel.boundingBox(), copy.boundingBox()]);
		expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
		await say(play, "hello");
		await expect.poll(() => log.textContent()).toMatch(/hello.*segue login/s);
	});
});

inBrowser("chat in the playground", (stage) => {
	test("commands work without a model", async () => {
		const play = await stage.open();
		await play.openPanel("Chat");
		await say(play, "/help");
		await expect.poll(() => play.page.getByRole("log").textContent()).toMatch(/\/help.*\/\w+.*\/\w+/s);
	});

	test("a growing answer does not change the scroll position unless the end is visible", async () => {
		const further = [deferred(), deferred()];
		const agent = new PlayAgent(async ({ say }) => {
			for (let i = 0; i < 100; i++) {
				say("line\n".repeat(4));
				await new Promise(setImmediate);
			}
			await further[0]?.opened;
			say("line\n".repeat(50));
			await further[1]?.opened;
			say("The end.");
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		await say(play, "tell");
		const log = play.page.getByRole("log");
		const below = () =>
			log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
		await expect.poll(() => log.evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(6000);
		await expect.poll(below).toBeLessThan(2);
		await log.evaluate((element) => element.scrollTo({ top: 100, behavior: "instant" }));
		const height = await log.evaluate(({ scrollHeight }) => scrollHeight);
		await scrolled(play);
		further[0]?.open();
		await expect.poll(() => log.evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(height);
		expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBe(100);
		await log.evaluate((element) => element.scrollTo({ top: element.scrollHeight, behavior: "instant" }));
		await scrolled(play);
		further[1]?.open();
		await log.getByText("The end.").waitFor();
		await expect.poll(below).toBeLessThan(2);
	});

	test("an answer is formatted while it arrives, and never becomes HTML", async () => {
		const further = deferred();
		const agent = new PlayAgent(async ({ say }) => {
			say("# Why\n\nIt is **bo");
			say(
				"ld**, see `cnt` in [the page](https://x.test):\n\n1. one\n   - <img src=x onerror=alert(1)>\n\n```ts\nlet a = 1;",
			);
			await further.opened;
			say("\nlet b = 2;\n```\nThat is all.");
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		await say(play, "why?");
		const answer = play.page.locator(".answer");
		await expect.poll(() => answer.locator("pre code").textContent()).toBe("let a = 1;");
		expect(await answer.locator("strong").allTextContents()).toEqual(["Why", "bold"]);
		expect(await answer.locator("p code").textContent()).toBe("cnt");
		expect(await answer.locator("ol > li > ul > li").textContent()).toBe("<img src=x onerror=alert(1)>");
		expect(await answer.getByText("the page (https://x.test)").count()).toBe(1);
		expect(await answer.locator("a, img").count()).toBe(0);
		further.open();
		await answer.getByText("That is all.").waitFor();
		expect(await answer.locator("pre code").textContent()).toBe("let a = 1;\nlet b = 2;");
	});

	test("an answer has tables, coloured code, and a button that copies the code", async () => {
		const code = "const total = 1;\n// done";
		const agent = new PlayAgent(async ({ say }) => {
			say(`| name | count |\n| :-- | --: |\n| \`a\` | 2 |\n\n\`\`\`ts\n${code}\n\`\`\`\n\n\`\`\`\nplain\n\`\`\``);
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const permissions = ["clipboard-read", "clipboard-write"];
		const play = await PlayPage.open(stage.browser, relay.address, { permissions });
		await play.openPanel("Chat");
		await say(play, "go");
		const answer = play.page.locator(".answer");
		const table = answer.getByRole("table");
		await table.waitFor();
		expect(await table.getByRole("columnheader").allTextContents()).toEqual(["name", "count"]);
		expect(await table.getByRole("cell").allTextContents()).toEqual(["a", "2"]);
		expect(
			await table
				.getByRole("cell")
				.last()
				.evaluate((cell) => getComputedStyle(cell).textAlign),
		).toBe("right");
		const blocks = answer.getByRole("figure");
		const coloured = await blocks
			.first()
			.locator("pre span")
			.evaluateAll((spans) => {
				return spans.map((span) => `${span.className} ${span.textContent}`);
			});
		expect(coloured).toEqual(["tok-keyword const", "tok-definition total", "tok-number 1", "tok-comment // done"]);
		expect(await blocks.last().locator("pre span").count()).toBe(0);
		const colour = await blocks
			.first()
			.locator(".tok-keyword")
			.evaluate((span) => getComputedStyle(span).color);
		const inEditor = await play.page
			.locator(".cm-line .tok-keyword")
			.first()
			.evaluate((span) => getComputedStyle(span).color);
		expect(colour).toBe(inEditor);
		await blocks.first().getByRole("button", { name: "Copy code" }).click();
		await blocks.first().getByRole("status").getByText("Copied").waitFor();
		expect(await play.page.evaluate(() => navigator.clipboard.readText())).toBe(code);
	});

	test("a slash lists commands: arrows select one, Tab or a click inserts it, and Enter sends it", async () => {
		const said: string[] = [];
		const agent = new PlayAgent(async ({ say, prompt }) => {
			said.push(prompt);
			say("Done.");
			return "end_turn";
		});
		agent.commands = ["compact", "context", "help"];
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		const field = play.page.getByLabel("Message to the agent");
		const commands = play.page.getByRole("listbox", { name: "Commands" }).getByRole("option");
		await field.pressSequentially("/");
		await expect.poll(() => commands.count()).toBe(3);
		await play.press("ArrowDown", "ArrowDown", "Tab");
		expect(await field.inputValue()).toBe("/context ");
		expect(await commands.count()).toBe(0);
		await play.press("Enter");
		await expect.poll(() => said).toEqual(["/context"]);
		await play.page.getByRole("button", { name: "Send" }).waitFor();
		await field.fill("/he");
		await play.press("Tab");
		expect(await field.inputValue()).toBe("/help ");
		await field.fill("/com");
		await commands.first().click();
		expect(await field.inputValue()).toBe("/compact ");
		await play.press("Enter");
		await expect.poll(() => said).toEqual(["/context", "/compact"]);
		await play.page.getByRole("button", { name: "Send" }).waitFor();
		// A complete command needs no list.
		await field.fill("/help");
		await play.press("Enter");
		await expect.poll(() => said).toEqual(["/context", "/compact", "/help"]);
	});

	test("keys handled by an input method neither send the message nor select commands", async () => {
		const said: string[] = [];
		const agent = new PlayAgent(async ({ prompt }) => {
			said.push(prompt);
			return "end_turn";
		});
		agent.commands = ["compact", "context"];
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		const field = play.page.getByLabel("Message to the agent");
		const commands = play.page.getByRole("listbox", { name: "Commands" }).getByRole("option");
		await field.fill("/");
		await expect.poll(() => commands.count()).toBe(2);
		for (const key of ["ArrowDown", "Tab", "Enter"]) expect(await play.compose(field, key), key).toBe("ignored");
		expect(await field.inputValue()).toBe("/");
		expect(await commands.and(play.page.locator("[aria-selected=true]")).count()).toBe(0);
		await field.fill("にほん");
		expect(await play.compose(field, "Enter")).toBe("ignored");
		expect(await field.inputValue()).toBe("にほん");
		await play.press("Enter");
		await expect.poll(() => said).toEqual(["にほん"]);
	});

	test("an open permission request is shown on the Chat tab", async () => {
		const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" as const }];
		const agent = new PlayAgent(async ({ connection, sessionId }) => {
			await connection.request(acp.requestPermission, { sessionId, toolCall: { toolCallId: "c1" }, options });
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		await say(play, "go");
		await play.openPanel("Stories");
		const mark = play.page.getByRole("tab", { name: "Chat is waiting for your answer" });
		await mark.waitFor();
		await play.page.getByRole("status").getByText("The chat is waiting for your answer.").waitFor();
		await mark.click();
		await play.page.getByRole("button", { name: "Allow" }).click();
		await mark.waitFor({ state: "detached" });
		expect(await play.page.getByRole("tab", { name: "Chat", exact: true }).count()).toBe(1);
	});
});

/** Waits until the browser has reported a scroll position. It does so before the next frame. */
async function scrolled({ page }: PlayPage): Promise<void> {
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function say({ page }: PlayPage, text: string): Promise<void> {
	await page.getByLabel("Message to the agent").fill(text);
	await page.getByLabel("Message to the agent").press("Enter");
}
