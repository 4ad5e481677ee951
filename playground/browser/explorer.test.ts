import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as acp from "@segue/protocol/acp";
import { PlayAgent } from "@segue/testing/playground/play-agent";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { deferred } from "@segue/testing/rpc/peers";
import { expect, onTestFinished, test } from "vitest";

inBrowser("the Explorer", (stage) => {
	test("lists folders before files, opens files, and marks the active file and unsaved files", async () => {
		const shop = writeShop("tree");
		const play = await stage.open();
		expect(await play.page.getByRole("tree").count()).toBe(0);
		await play.openFolder(shop, "src/cart.ts");
		expect(await play.rows()).toEqual(["docs", "notes.md", "src", "cart.ts", "item.ts", "README.md"]);
		expect(await play.row("cart.ts").getAttribute("aria-selected")).toBe("true");
		await play.row("item.ts").click();
		await expect.poll(() => play.file.textContent()).toBe("item.ts");
		expect(await play.row("item.ts").getAttribute("aria-selected")).toBe("true");
		await play.type("x");
		await play.row("item.ts unsaved").waitFor();
		await play.press("Control+s");
		await play.row("item.ts").waitFor();
		await play.row("docs").click();
		expect(await play.rows()).toEqual(["docs", "src", "cart.ts", "item.ts", "README.md"]);
	});

	test("can be used with only the keyboard", async () => {
		const play = await stage.open();
		await play.openFolder(writeShop("keys"), "README.md");
		const tree = play.page.getByRole("tree");
		await tree.focus();
		const current = async () => {
			const id = await tree.getAttribute("aria-activedescendant");
			return play.page.locator(`[id="${id}"]`).textContent();
		};
		expect(await current()).toBe("README.md");
		await play.press("Home");
		expect(await current()).toBe("docs");
		await play.press("ArrowLeft");
		expect(await play.row("docs").getAttribute("aria-expanded")).toBe("false");
		await play.press("ArrowDown");
		expect(await current()).toBe("src");
		await play.press("ArrowRight", "ArrowDown");
		expect(await current()).toBe("item.ts");
		await play.press("ArrowLeft");
		expect(await current()).toBe("src");
		await play.press("c");
		expect(await current()).toBe("cart.ts");
		await play.press("Enter");
		await expect.poll(() => play.file.textContent()).toBe("cart.ts");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
	});

	test("shows files that the chat creates, and updates open tabs that have no unsaved edits", async () => {
		const shop = writeShop("made");
		const name = path.basename(shop);
		const written = deferred();
		const agent = new PlayAgent(async ({ connection, sessionId }) => {
			const call = { toolCallId: "c1", title: "Write files", status: "pending" as const };
			connection.notify(acp.sessionUpdate, { sessionId, update: { sessionUpdate: "tool_call", ...call } });
			stage.server.home.write(`project/${name}/src/new.ts`, "export {};\n");
			stage.server.home.write(`project/${name}/src/cart.ts`, "changed\nby the agent\n");
			stage.server.home.write(`project/${name}/README.md`, "changed\nby the agent\n");
			const update = { sessionUpdate: "tool_call_update" as const, toolCallId: "c1", status: "completed" as const };
			connection.notify(acp.sessionUpdate, { sessionId, update });
			await written.opened;
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openFolder(shop, "README.md");
		await play.type("mine ");
		await play.row("cart.ts").click();
		await expect.poll(() => play.file.textContent()).toBe("cart.ts");
		await play.openPanel("Chat");
		await play.page.getByLabel("Message to the agent").fill("go");
		await play.press("Enter");
		// The file appears during the turn, when the tool call ends.
		await play.row("new.ts").waitFor();
		await expect.poll(() => play.text()).toBe("changed\nby the agent\n");
		expect(await play.page.getByRole("button", { name: "Close src/cart.ts" }).count()).toBe(1);
		await play.row("README.md unsaved").click();
		await expect.poll(() => play.text()).toBe("mine # Shop\n\n");
		rmSync(path.join(shop, "src/new.ts"));
		written.open();
		await play.row("new.ts").waitFor({ state: "detached" });
		// The page may still be reading files. Leave it before the relay is gone, or those requests fail.
		await stage.browser.leave();
	});

	test("shows a change made by another program when the window gets the focus", async () => {
		const shop = writeShop("focus");
		const play = await stage.open();
		await play.openFolder(shop, "src/cart.ts");
		stage.server.home.write(`project/${path.basename(shop)}/src/cart.ts`, "changed\nelsewhere\n");
		await play.page.evaluate(() => dispatchEvent(new Event("focus")));
		await expect.poll(() => play.text()).toBe("changed\nelsewhere\n");
		expect(await play.page.getByTitle("not saved").count()).toBe(0);
	});

	test("opens a file that the chat creates in a sample", async () => {
		const agent = new PlayAgent(async ({ connection, sessionId, cwd }) => {
			writeFileSync(path.join(cwd, "made.test.ts"), "test();\n");
			const update = { sessionUpdate: "tool_call_update" as const, toolCallId: "c1", status: "completed" as const };
			connection.notify(acp.sessionUpdate, { sessionId, update });
			return "end_turn";
		});
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Chat");
		await play.page.getByLabel("Message to the agent").fill("write a test");
		await play.press("Enter");
		await play.page.getByRole("button", { name: "made.test.ts", exact: true }).click();
		await expect.poll(() => play.text()).toBe("test();\n");
		await stage.browser.leave();
	});

	test("segue play FOLDER opens the folder in a new window", async () => {
		const shop = writeShop("start");
		const args = ["play", "--no-open", "--port", "0", path.basename(shop)];
		const folder = stage.server.home.project;
		const segue = new SegueProcess(args, { folder, env: { SEGUE_HOME: stage.server.home.home } });
		onTestFinished(() => segue.stop());
		const [address = ""] = await segue.until(/http:\S+#token=\S+/);
		const play = new PlayPage(await stage.browser.visit(address));
		await play.row("cart.ts").click();
		await expect.poll(() => play.text()).toBe("cart\n\n");
		await play.page.getByRole("button", { name: "Project: shop-start" }).waitFor();
		const panels = play.page.getByRole("complementary", { name: "Panels" });
		expect(await panels.count()).toBe(0);
		await play.page.reload();
		await play.page.getByRole("button", { name: "Panels" }).waitFor();
		expect(await panels.count()).toBe(0);
	});

	test("offers recent folders, which stay after a reload and can be cleared", async () => {
		const folders = [writeShop("one"), writeShop("two")] as const;
		const play = await stage.open();
		for (const folder of folders) await play.openFolder(folder, "README.md");
		await play.page.reload();
		await play.page.getByRole("button", { name: "Open folder" }).click();
		const recent = play.page.getByRole("region", { name: "Recent folders" });
		const names = recent.getByRole("listitem");
		await expect.poll(() => names.allTextContents()).toEqual([`shop-two ${folders[1]}`, `shop-one ${folders[0]}`]);
		await names.nth(1).getByRole("button").click();
		await play.page.getByRole("dialog").waitFor({ state: "detached" });
		await play.page.getByRole("button", { name: "Project: shop-one" }).waitFor();
		await play.page.getByRole("button", { name: "Open folder" }).click();
		await recent.getByRole("button", { name: "Clear" }).click();
		await recent.waitFor({ state: "detached" });
		expect(await play.page.evaluate(() => localStorage.getItem("segue-recent-folders"))).toBe("[]");
	});

	/** Creates a folder with a few files. Returns its path. */
	function writeShop(name: string): string {
		const { home } = stage.server;
		const files = { "README.md": "# Shop\n\n", "docs/notes.md": "notes\n\n", "src/cart.ts": "cart\n\n" };
		for (const [file, text] of Object.entries(files)) home.write(`project/shop-${name}/${file}`, text);
		home.write(`project/shop-${name}/src/item.ts`, "item\n\n");
		return path.join(home.project, `shop-${name}`);
	}
});
