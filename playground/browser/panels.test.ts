import { inBrowser } from "@segue/testing/playground/play-fixture";
import { expect, test } from "vitest";

inBrowser("the panels", (stage) => {
	test("a panel and the find panel load once the server is back", async () => {
		const play = await stage.open();
		const { page } = play;
		await page.route(/healthz|chunks/, (route) => route.abort());
		await play.openPanel("Chat");
		await page.getByRole("tabpanel").getByText("The server").waitFor();
		await page.locator(".cm-content").click();
		await play.press("Control+f");
		await play.notice.getByText("Find could not be loaded. The server is not responding.").waitFor();

		await page.unroute(/healthz|chunks/);
		await page.locator(".cm-content").click();
		await play.press("Control+f");
		await page.locator(".cm-search").waitFor();
		await play.openPanel("Settings");
		await play.openPanel("Chat");
		await page.getByLabel("Message to the agent").waitFor();
		for (const complaint of stage.browser.complaints.splice(0)) expect(complaint).toContain("net::ERR_FAILED");
	});

	test("a button and a key hide and show the panels, and the choice is kept", async () => {
		const play = await stage.open();
		const { page } = play;
		const panels = page.getByRole("complementary", { name: "Panels" });
		const editor = page.getByRole("region", { name: "Editor" });
		const width = async () => (await editor.boundingBox())?.width ?? 0;
		const before = await width();
		await play.press("Control+b");
		expect(await panels.count()).toBe(0);
		expect(await width()).toBeGreaterThan(before * 1.5);
		await page.reload();
		await play.ready();
		expect(await panels.count()).toBe(0);
		await page.getByRole("button", { name: "Panels", exact: true }).click();
		expect(await width()).toBe(before);
		await play.openPanel("Chat");
		await page.getByLabel("Message to the agent").focus();
		await play.press("Control+b");
		expect(await page.locator(".cm-content:focus").count()).toBe(1);
	});

	test("a panel keeps its text and filters while another one is open", async () => {
		const play = await stage.open();
		const { page } = play;
		await play.openPanel("Chat");
		await page.getByLabel("Message to the agent").fill("half a question");
		await play.openPanel("Inspector");
		await page.getByLabel("Filter by method").fill("initialize");
		await page.getByLabel("Search in messages").fill("protocolVersion");
		await page.getByRole("listbox", { name: "Messages" }).getByRole("option").first().click();
		await play.openPanel("Chat");
		expect(await page.getByLabel("Message to the agent").inputValue()).toBe("half a question");
		await play.openPanel("Inspector");
		await page.getByRole("heading", { name: "initialize (request)" }).waitFor();
		expect(await page.getByLabel("Filter by method").inputValue()).toBe("initialize");
		expect(await page.getByLabel("Search in messages").inputValue()).toBe("protocolVersion");
	});
});
