import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

const TWO_LINES = "one\ntwo\n";

inBrowser("the user's text", (stage) => {
	test("a new connection sends the agent the edited text", async () => {
		const play = await stage.open();
		await play.press("Control+Home");
		await play.type("// first\n// second\n// third\n");
		await play.openAdvanced();
		await play.page.getByLabel("Change format").selectOption("full");
		await play.page.getByLabel("Change format").selectOption("incremental");
		await play.page.locator(".cm-content").focus();
		await play.goToEndOf(7);
		await play.press("Home", ...Array.from("let cnt", () => "ArrowRight"));
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		await expect.poll(() => play.text()).toContain("\t\tcount += 1;");
		expect(await play.text()).toContain("for (const item of items)");
		await play.openPanel("Inspector");
		await play.page.getByRole("button", { name: "Compare" }).click();
		await expect.poll(() => play.page.getByTestId("held").count()).toBe(3);
		expect(await play.page.locator("[data-testid=held][data-same=false]").count()).toBe(0);
	});

	test("two settings that change at the same time open one connection", async () => {
		const address = new URL(stage.server.address);
		const page = await stage.browser.blank(address.origin);
		const open = new Set<unknown>();
		let count = 0;
		page.on("websocket", (socket) => {
			count++;
			open.add(socket);
			socket.on("close", () => open.delete(socket));
		});
		await page.goto(address.href);
		const play = new PlayPage(page);
		await play.ready();
		await play.openAdvanced();
		await page.getByLabel("Position encoding").waitFor();
		await page.evaluate(() => {
			for (const [name, value] of [
				["encoding", "utf-8"],
				["changes", "full"],
			]) {
				const select = document.querySelector<HTMLSelectElement>(`select[name=${name}]`);
				if (select === null) throw new Error(`no select for ${name}`);
				select.value = value as string;
				select.dispatchEvent(new Event("change", { bubbles: true }));
			}
		});
		await expect.poll(() => count).toBe(2);
		await play.openPanel("Inspector");
		await page.getByRole("button", { name: "Compare" }).click();
		await expect.poll(() => page.getByTestId("held").count()).toBe(3);
		await expect.poll(() => open.size).toBe(1);
		expect(count).toBe(2);
	});

	test.each<[string, (play: PlayPage) => Promise<void>]>([
		["another project", (play) => play.chooseProject("Python: weather station")],
		[
			"another folder",
			async (play) => {
				stage.server.home.write("project/inner/other.ts", TWO_LINES);
				await play.openFolder(path.join(stage.server.home.project, "inner"), "other.ts");
				await play.type("other");
			},
		],
		[
			"a story",
			async (play) => {
				await play.openPanel("Stories");
				await play.page.getByRole("button", { name: "Play Rename" }).click();
				await play.page.getByText("const cnt = items.length").waitFor();
				await play.press("Escape");
			},
		],
	])("a folder keeps its unsaved text and undo history while %s is open", async (_, leave) => {
		const play = await opened("left.ts", TWO_LINES);
		const asked = countQuestions(play);
		await play.type("mine ");
		await play.page.getByTitle("not saved").waitFor();
		await leave(play);
		await expect.poll(() => play.text()).not.toContain("mine");
		expect(await wouldAskBeforeLeaving(play)).toBe(true);

		await play.chooseProject("project");
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		expect(await play.file.textContent()).toBe("left.ts ●");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("left.ts")).toBe("mine one\ntwo\n");
		await play.press("Control+z");
		await expect.poll(() => play.text()).toBe(TWO_LINES);
		expect(asked).toEqual([]);
	});

	test("a folder that is opened again keeps its unsaved text", async () => {
		const play = await opened("twice.ts", TWO_LINES);
		await play.type("mine ");
		await play.openFolder(stage.server.home.project, "twice-more.ts");
		await play.page.getByRole("button", { name: "twice.ts ●" }).click();
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("twice.ts")).toBe("mine one\ntwo\n");
	});

	test("text typed during a save stays unsaved until the next save", async () => {
		const play = await opened("slow.ts", TWO_LINES);
		const release = await hold(play, "PUT");
		await play.type("ONE");
		await play.press("Control+s");
		await release.reached;
		await play.type("TWO");
		await play.press("Control+s");
		await play.type("THREE");
		release.all();
		await expect.poll(() => onDisk("slow.ts")).toBe("ONETWOone\ntwo\n");
		expect(await play.page.getByTitle("not saved").count()).toBe(1);
		const asked = countQuestions(play);
		await play.page.getByRole("button", { name: "Close slow.ts" }).click();
		expect(asked).toEqual(["Close slow.ts without saving it?"]);
	});

	test("a save completes after the user leaves the folder", async () => {
		const play = await opened("parting.ts", TWO_LINES);
		const release = await hold(play, "PUT");
		await play.type("mine ");
		await play.press("Control+s");
		await release.reached;
		await play.chooseProject("Go: job queue");
		await expect.poll(() => play.text()).toContain("package");
		release.all();
		await expect.poll(() => wouldAskBeforeLeaving(play)).toBe(false);
		await play.chooseProject("project");
		await expect.poll(() => play.file.textContent()).toBe("parting.ts");
		await play.press("Control+Home");
		await play.type("more ");
		await play.press("Control+s");
		await expect.poll(() => onDisk("parting.ts")).toBe("more mine one\ntwo\n");
	});

	test("a save does not mark the same file in another open folder as saved", async () => {
		stage.server.home.write("project/inner/nested.ts", TWO_LINES);
		const play = await opened("outer.ts", TWO_LINES);
		await play.openFile("inner/nested.ts");
		// The other file has the same text.
		await expect.poll(() => play.file.textContent()).toContain("nested.ts");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
		const release = await hold(play, "PUT");
		await play.type("mine ");
		await play.press("Control+s");
		await release.reached;
		await play.openFolder(path.join(stage.server.home.project, "inner"), "nested.ts");
		await play.type("other ");
		await settled(play, /nested\.ts/, release.all);
		expect(await play.file.textContent()).toBe("nested.ts ●");
		await play.press("Control+s");
		await play.notice.getByText("nested.ts has changed on disk").waitFor();
		expect(onDisk("inner/nested.ts")).toBe("mine one\ntwo\n");
		await play.chooseProject("project");
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		expect(await play.page.getByTitle("not saved").count()).toBe(0);
		expectOneConflict();
	});

	test("a save does not mark a file that was closed and opened again as saved", async () => {
		const play = await opened("again.ts", TWO_LINES);
		const release = await hold(play, "PUT");
		await play.type("mine ");
		await play.press("Control+s");
		await release.reached;
		play.page.on("dialog", (dialog) => void dialog.accept());
		await play.page.getByRole("button", { name: "Close again.ts" }).click();
		await play.openFile("again.ts");
		await expect.poll(() => play.text()).toBe(TWO_LINES);
		await play.type("other ");
		await settled(play, /again\.ts/, release.all);
		await play.press("Control+s");
		await play.notice.getByText("again.ts has changed on disk").waitFor();
		expect(onDisk("again.ts")).toBe("mine one\ntwo\n");
		expectOneConflict();
	});

	test("a file is saved after the server restarts", async () => {
		const play = await opened("again.ts", TWO_LINES);
		await play.type("mine ");
		await stage.server.restart();
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("again.ts")).toBe("mine one\ntwo\n");
		// The browser logs failed requests and every response that is not a success.
		for (const complaint of stage.browser.complaints.splice(0)) expect(complaint).toMatch(/WebSocket|409|REFUSED/);
	});

	test("saving keeps the byte order mark and the line endings of unedited lines", async () => {
		const play = await opened("mixed.ts", "\ufeffone\r\ntwo\nthree\r\n");
		await play.press("Control+End");
		await play.type("four");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("mixed.ts")).toBe("\ufeffone\r\ntwo\nthree\r\nfour");
	});

	test("Overwrite writes a file that has changed on disk", async () => {
		const play = await opened("over.ts", TWO_LINES);
		await changeBoth(play, "over.ts");
		await play.notice.getByRole("button", { name: "Overwrite" }).click();
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("over.ts")).toBe("mine one\ntwo\n");
		expect(await play.notice.textContent()).not.toContain("on disk");
		await play.type("more ");
		await play.press("Control+s");
		await expect.poll(() => onDisk("over.ts")).toBe("mine more one\ntwo\n");
		expectOneConflict();
	});

	test("Overwrite does not write a file that has changed again", async () => {
		const play = await opened("thrice.ts", TWO_LINES);
		await changeBoth(play, "thrice.ts");
		stage.server.home.write("project/thrice.ts", "theirs again\n");
		await play.notice.getByRole("button", { name: "Overwrite" }).click();
		await expect.poll(() => stage.browser.complaints.length).toBe(2);
		await play.notice.getByText("has changed on disk").waitFor();
		expect(onDisk("thrice.ts")).toBe("theirs again\n");
		expect(stage.browser.complaints.splice(0)).toHaveLength(2);
	});

	test("the user can switch to the file on disk, and undo restores the edited text", async () => {
		const play = await opened("theirs.ts", TWO_LINES);
		await changeBoth(play, "theirs.ts");
		expect(await play.text()).toBe("mine one\ntwo\n");
		await play.notice.getByRole("button", { name: "Use the file on disk" }).click();
		await expect.poll(() => play.text()).toBe("theirs\n");
		expect(await play.page.getByTitle("not saved").count()).toBe(0);
		await play.press("Control+z");
		await expect.poll(() => play.text()).toBe("mine one\ntwo\n");
		await play.press("Control+s");
		await expect.poll(() => onDisk("theirs.ts")).toBe("mine one\ntwo\n");
		expectOneConflict();
	});

	test("a file that was deleted from disk can be saved again", async () => {
		const play = await opened("gone.ts", TWO_LINES);
		await play.type("mine ");
		rmSync(path.join(stage.server.home.project, "gone.ts"));
		await play.press("Control+s");
		await play.notice.getByText("was deleted from disk").waitFor();
		expect(existsSync(path.join(stage.server.home.project, "gone.ts"))).toBe(false);
		expect(await play.notice.getByRole("button", { name: "Use the file on disk" }).count()).toBe(0);
		await play.notice.getByRole("button", { name: "Save it again" }).click();
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(onDisk("gone.ts")).toBe("mine one\ntwo\n");
		for (const complaint of stage.browser.complaints.splice(0)) expect(complaint).toMatch(/412|404/);
	});

	test("a problem with a file is shown until it is solved", async () => {
		const play = await opened("wrong.ts", TWO_LINES);
		await changeBoth(play, "wrong.ts");
		await play.openFile("twice-more.ts");
		await expect.poll(() => play.file.textContent()).toBe("twice-more.ts");
		expect(await play.notice.textContent()).toContain("wrong.ts has changed on disk");
		await play.type("right ");
		await play.press("Control+s");
		await expect.poll(() => play.file.textContent()).toBe("twice-more.ts");
		expect(onDisk("twice-more.ts")).toBe("right one\ntwo\n");
		await play.page.getByRole("button", { name: "Close twice-more.ts" }).click();
		expect(await play.notice.textContent()).toContain("wrong.ts has changed on disk");
		play.page.on("dialog", (dialog) => void dialog.accept());
		await play.page.getByRole("button", { name: "Close wrong.ts" }).click();
		await expect.poll(() => play.notice.textContent()).not.toContain("on disk");
		expectOneConflict();
	});

	test("a conflict in a folder that is no longer shown can be resolved after returning to it", async () => {
		const play = await opened("away.ts", TWO_LINES);
		const release = await hold(play, "PUT");
		await play.type("mine ");
		stage.server.home.write("project/away.ts", "theirs\n");
		await play.press("Control+s");
		await release.reached;
		await play.chooseProject("Go: job queue");
		await expect.poll(() => play.text()).toContain("package");
		release.all();
		await play.notice
			.getByText("away.ts was not saved: it has changed on disk. Go back to its folder to choose a version.")
			.waitFor();
		expect(await play.notice.getByRole("button", { name: "on disk" }).count()).toBe(0);
		await play.chooseProject("project");
		await expect.poll(() => play.file.textContent()).toBe("away.ts ●");
		await play.press("Control+s");
		await play.notice.getByRole("button", { name: "Use the file on disk" }).click();
		await expect.poll(() => play.text()).toBe("theirs\n");
		expect(onDisk("away.ts")).toBe("theirs\n");
		expect(stage.browser.complaints.splice(0)).toHaveLength(2);
	});

	test("the editor is read-only while no file is open", async () => {
		const play = await opened("only.ts", TWO_LINES);
		await play.page.getByRole("button", { name: "Close only.ts" }).click();
		await play.page.getByLabel("No file is open").click();
		await play.type("lost");
		expect(await play.page.locator(".cm-content").textContent()).toBe("");
		await play.openFile("only.ts");
		await expect.poll(() => play.text()).toBe(TWO_LINES);
		await play.type("kept ");
		await expect.poll(() => play.text()).toBe("kept one\ntwo\n");
	});

	test("a file that loads after switching projects is not opened", async () => {
		stage.server.home.write("project/late.ts", TWO_LINES);
		const play = await opened("early.ts", TWO_LINES);
		const release = await hold(play, "GET");
		await play.openFile("late.ts");
		await release.reached;
		await play.chooseProject("TypeScript: shop");
		await expect.poll(() => play.text()).toContain("let cnt");
		await settled(play, /late\.ts/, release.all);
		expect(await play.page.locator("nav.tabs").textContent()).not.toContain("late.ts");
		expect(await play.text()).toContain("let cnt");
	});

	test("opening a file twice does not replace edited text", async () => {
		stage.server.home.write("project/double.ts", TWO_LINES);
		const play = await opened("single.ts", TWO_LINES);
		const release = await hold(play, "GET");
		await play.openFile("double.ts");
		await release.reached;
		await play.openFile("double.ts");
		release.one();
		await play.page.getByRole("button", { name: "double.ts", exact: true }).waitFor();
		await play.type("mine ");
		await settled(play, /double\.ts/, release.all);
		expect(await play.text()).toBe("mine one\ntwo\n");
	});

	test.each<[string, (play: PlayPage) => Promise<void>]>([
		["a folder that was open before", (play) => play.chooseProject("project")],
		["a newly opened folder", (play) => play.openFolder(stage.server.home.project, "twice-more.ts")],
	])("%s stays open when a previously chosen sample finishes loading", async (_, choose) => {
		const play = await opened("last.ts", TWO_LINES);
		const release = await hold(play, "POST", "**/sample");
		await play.chooseProject("Python: weather station");
		await release.reached;
		await choose(play);
		await settled(play, /sample/, release.all);
		expect(await play.text()).toBe(TWO_LINES);
	});

	/** Opens a page and a file in a folder, with the cursor at the start of the file. */
	async function opened(name: string, content: string): Promise<PlayPage> {
		stage.server.home.write(`project/${name}`, content);
		stage.server.home.write("project/twice-more.ts", TWO_LINES);
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, name);
		await expect.poll(() => play.file.textContent()).toBe(name);
		return play;
	}

	/** Types text, changes the file on disk, and saves. */
	async function changeBoth(play: PlayPage, name: string): Promise<void> {
		await play.type("mine ");
		stage.server.home.write(`project/${name}`, "theirs\n");
		await play.press("Control+s");
		await play.notice.getByText(`${name} has changed on disk`).waitFor();
	}

	/** Expects one conflict in the browser's log, which contains every response that is not a success. */
	function expectOneConflict(): void {
		expect(stage.browser.complaints.splice(0)).toEqual([expect.stringContaining("412")]);
	}

	function onDisk(name: string): string {
		return readFileSync(path.join(stage.server.home.project, name), "utf8");
	}
});

/** Starts recording browser dialogs, and dismisses each one. */
function countQuestions({ page }: PlayPage): string[] {
	const asked: string[] = [];
	page.on("dialog", (dialog) => {
		asked.push(dialog.message());
		void dialog.dismiss();
	});
	return asked;
}

function wouldAskBeforeLeaving({ page }: PlayPage): Promise<boolean> {
	return page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
}

/** Runs a step that makes the page receive a response, and waits until the page has handled it. */
async function settled({ page }: PlayPage, address: RegExp, go: () => void): Promise<void> {
	const answer = page.waitForResponse(address);
	go();
	await (await answer).finished();
	// Once this request completes, the page has handled the response before it.
	await page.evaluate(() => fetch("/healthz"));
}

/** Holds requests, by default those for files, until they are released. `reached` resolves with the first request. */
async function hold({ page }: PlayPage, method: string, address = "**/folder/file?*") {
	const held: (() => void)[] = [];
	let isOver = false;
	let reach = () => {};
	const reached = new Promise<void>((resolve) => {
		reach = resolve;
	});
	await page.route(address, async (route) => {
		if (route.request().method() === method && !isOver) {
			await new Promise<void>((resolve) => {
				held.push(resolve);
				reach();
			});
		}
		await route.continue();
	});
	return {
		reached,
		one: () => held.shift()?.(),
		all: () => {
			isOver = true;
			for (const go of held.splice(0)) go();
		},
	};
}
