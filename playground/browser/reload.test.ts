import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

const TWO_LINES = "one\ntwo\n";

inBrowser("after a reload", (stage) => {
	test("the folder is open again with its tabs, cursor and unsaved text, which can be saved", async () => {
		const play = await opened("kept.ts");
		await play.openFile("other.ts");
		await expect.poll(() => play.file.textContent()).toBe("other.ts");
		await play.page.getByRole("button", { name: "kept.ts", exact: true }).click();
		await play.press("ArrowDown");
		await play.type("mine ");
		await reload(play);
		await expect.poll(() => play.file.textContent()).toBe("kept.ts ●");
		expect(await play.text()).toBe("one\nmine two\n");
		const tabs = play.page.locator("nav.tabs .tab > button:first-child");
		expect(await tabs.allTextContents()).toEqual(["kept.ts ●", "other.ts"]);
		await play.type("more ");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("kept.ts")).toBe("one\nmine more two\n");
	});

	test.each<[string, (file: string) => void, RegExp]>([
		["changed", (file) => void stage.server.home.write(`project/${file}`, "theirs\n"), /has changed on disk/],
		["was deleted", (file) => rmSync(path.join(stage.server.home.project, file)), /was deleted from disk/],
	])("unsaved text is restored for a file that %s on disk, and saving asks the user", async (how, change, text) => {
		const name = `${how.replace(" ", "-")}.ts`;
		const play = await opened(name);
		await play.type("mine ");
		change(name);
		await reload(play);
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		await play.press("Control+s");
		await play.notice.getByText(text).waitFor();
		for (const complaint of stage.browser.complaints.splice(0)) expect(complaint).toMatch(/412|404/);
	});

	test("unsaved text is restored for a folder that was not shown", async () => {
		const play = await opened("left-behind.ts");
		await play.type("mine ");
		await play.chooseProject("Python: weather station");
		await expect.poll(() => play.text()).toContain("def ");
		await reload(play);
		await expect.poll(() => play.text()).toContain("def ");
		await play.chooseProject("project");
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
	});

	test("saved text is not in the browser's storage, and a new window starts with a sample", async () => {
		const play = await opened("secret-plan.ts");
		await play.type("gossamer ");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		await reload(play);
		await expect.poll(() => play.text()).toBe("gossamer one\ntwo\n");
		const stored = await play.page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
		expect(stored).toContain("secret-plan.ts");
		for (const text of ["gossamer", stage.server.token]) expect(stored).not.toContain(text);
		const other = new PlayPage(await play.page.context().newPage());
		await other.page.goto(stage.server.address);
		await other.ready();
		expect(await other.text()).toContain("let cnt");
	});

	/** Opens a page in which a file from an opened folder is active. */
	async function opened(name: string): Promise<PlayPage> {
		for (const file of [name, "other.ts"]) stage.server.home.write(`project/${file}`, TWO_LINES);
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, name);
		return play;
	}

	function onDisk(name: string): string {
		return readFileSync(path.join(stage.server.home.project, name), "utf8");
	}
});

inBrowser("after the server restarts with another token", (stage) => {
	test("the page connects with the new link that the user pastes, and keeps unsaved text", async () => {
		const play = await restarted("pasted.ts");
		const alert = play.page.getByRole("alert");
		await alert.getByLabel("New link").fill("http://127.0.0.1/");
		await play.press("Enter");
		await alert.getByText("This is not a Segue link").waitFor();
		await alert.getByLabel("New link").fill(stage.server.address.replace("#token=", "#token=wrong-"));
		await play.press("Enter");
		await alert.getByText("does not accept this link either").waitFor();
		await alert.getByLabel("New link").fill(stage.server.address);
		await play.press("Enter");
		await expectConnected(play, "pasted.ts");
	});

	test("the page connects when the user opens the new link in another window", async () => {
		const play = await restarted("window.ts");
		const other = new PlayPage(await play.page.context().newPage());
		await other.page.goto(stage.server.address);
		await other.ready();
		await expectConnected(play, "window.ts");
	});

	test("the page connects when the user opens the new link in the same window", async () => {
		const play = await restarted("same.ts");
		await play.page.evaluate((address) => location.assign(address), stage.server.address);
		await expectConnected(play, "same.ts");
	});

	test("a page that was reloaded with the old link restores its unsaved text after the new link is opened", async () => {
		const play = await restarted("reloaded.ts");
		await reload(play);
		await play.page.getByLabel("New link").fill(stage.server.address);
		await play.press("Enter");
		await expectConnected(play, "reloaded.ts");
	});

	test("a sample is written to the new server's disk, and keeps its edits and their undo history", async () => {
		const play = await stage.open();
		const before = await play.text();
		await play.type("mine ");
		const edited = await play.text();
		await stage.server.restart(randomUUID());
		await play.page.getByRole("heading", { name: "This link has expired" }).waitFor();
		const answer = play.page.waitForResponse((response) => response.url().endsWith("/sample"));
		await play.page.getByLabel("New link").fill(stage.server.address);
		await play.press("Enter");
		const { root } = (await (await answer).json()) as { root: string };
		const name = (await play.file.getAttribute("title")) ?? "";
		expect(readFileSync(path.join(fileURLToPath(root), name), "utf8")).toBe(edited);
		await play.page.getByRole("status").getByText("Connected", { exact: true }).waitFor();
		expect(await play.text()).toBe(edited);
		await play.page.locator(".cm-content").focus();
		await play.press("Control+z");
		await expect.poll(() => play.text()).toBe(before);
		for (const complaint of stage.browser.complaints.splice(0)) {
			expect(complaint).toMatch(/WebSocket|4\d\d|REFUSED/);
		}
	});

	/** Opens a page with unsaved text and restarts the server, which no longer accepts the page's token. */
	async function restarted(name: string): Promise<PlayPage> {
		stage.server.home.write(`project/${name}`, TWO_LINES);
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, name);
		await play.type("mine ");
		await stage.server.restart(randomUUID());
		await play.page.getByRole("heading", { name: "This link has expired" }).waitFor();
		return play;
	}

	async function expectConnected(play: PlayPage, name: string): Promise<void> {
		await play.page.getByRole("heading", { name: "This link has expired" }).waitFor({ state: "detached" });
		await play.page.getByRole("status").getByText("Connected", { exact: true }).waitFor();
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		await play.page.locator(".cm-content").focus();
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(readFileSync(path.join(stage.server.home.project, name), "utf8")).toBe("mine one\ntwo\n");
		expect(play.page.url()).toBe(stage.server.address);
		for (const complaint of stage.browser.complaints.splice(0)) {
			expect(complaint).toMatch(/WebSocket|401|409|REFUSED/);
		}
	}
});

/** Reloads the page and confirms the browser's dialog about unsaved text. */
async function reload({ page }: PlayPage): Promise<void> {
	page.once("dialog", (dialog) => void dialog.accept());
	await page.reload();
}
