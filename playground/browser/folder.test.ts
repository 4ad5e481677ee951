import { readFileSync } from "node:fs";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { expect, test } from "vitest";

inBrowser("an opened folder", (stage) => {
	test("files are read after the user confirms the dialog, and written when they are saved", async () => {
		const file = stage.server.home.write("project/main.ts", "const a = 1\nlog(a)\n");
		stage.server.home.write("project/.env", "KEY=hidden\n");
		const play = await stage.open();
		const asked: string[] = [];
		play.page.on("request", (request) => {
			if (new URL(request.url()).pathname.startsWith("/folder")) asked.push(request.url());
		});
		await play.page.getByRole("button", { name: "Open folder" }).click();
		const dialog = play.page.getByRole("dialog");
		await dialog.getByRole("textbox").fill(stage.server.home.project);
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await dialog.waitFor({ state: "detached" });
		expect(asked).toEqual([]);

		stage.server.home.write("project/other.ts", "");
		await play.openFolder(stage.server.home.project, "main.ts");
		await play.page.getByRole("button", { name: "Open a file" }).click();
		expect(await play.page.getByRole("option").allTextContents()).toEqual(["other.ts"]);
		await play.press("Escape");
		await play.page.locator(".cm-content").focus();
		await play.goToEndOf(1);
		await play.type("0");
		await play.page.getByTitle("not saved").waitFor();
		expect(readFileSync(file, "utf8")).toBe("const a = 1\nlog(a)\n");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		expect(readFileSync(file, "utf8")).toBe("const a = 10\nlog(a)\n");
	});

	test("saving does not overwrite a file that has changed on disk", async () => {
		const file = stage.server.home.write("project/shared.ts", "one\ntwo\n");
		const play = await stage.open();
		await play.openFolder(stage.server.home.project, "shared.ts");
		stage.server.home.write("project/shared.ts", "three\n");
		await play.type("mine");
		await play.press("Control+s");
		await play.notice.getByText("has changed on disk").waitFor();
		expect(readFileSync(file, "utf8")).toBe("three\n");
		// The browser logs every response that is not a success.
		expect(stage.browser.complaints.splice(0)).toEqual([expect.stringContaining("412")]);
	});

	test("a suggestion in a file that is not open opens the file, and Tab accepts it there", async () => {
		const { home } = stage.server;
		home.write("project/shop/home.ts", "export function priceOf(item) {\n\treturn item.price;\n}\n");
		home.write("project/shop/use.ts", 'import { priceOf } from "./home";\n\nlog(priceOf(first));\n');
		const play = await stage.open();
		// The project folder is the user's home folder in this test and is not indexed, so open a folder inside it.
		await play.openFolder(`${home.project}/shop`, "home.ts");
		await play.goToEndOf(1);
		await play.press(...Array.from("(item) {", () => "ArrowLeft"));
		await play.rename("priceOf", "costOf");
		// The folder may not be indexed yet.
		const ask = async () => {
			const count = await play.chip.count();
			if (count === 0) await play.press("Alt+\\");
			return count;
		};
		await expect.poll(ask, { interval: 200 }).toBe(1);
		await play.press("Tab");
		await expect.poll(() => play.file.textContent()).toBe("use.ts");
		await expect.poll(() => play.picture()).toBe('import { ‹priceOf→costOf› } from "./home";');
		await play.press("Tab");
		await expect.poll(() => play.text()).toContain('import { costOf } from "./home";');
	});

	test("the editor gets the focus when the user opens a folder again", async () => {
		const { home } = stage.server;
		home.write("project/first/a.ts", "one\ntwo\n");
		home.write("project/second/b.ts", "three\nfour\n");
		const play = await stage.open();
		await play.openFolder(`${home.project}/first`, "a.ts");
		await play.openFolder(`${home.project}/second`, "b.ts");
		await play.page.getByRole("button", { name: "Open folder" }).click();
		await play.page.getByRole("dialog").getByRole("textbox").fill(`${home.project}/first`);
		await play.press("Enter");
		await expect.poll(() => play.text()).toBe("one\ntwo\n");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
	});

	test("the path may have white space around it and start with ~", async () => {
		stage.server.home.write("project/inside/deep.ts", "one\ntwo\n");
		const play = await stage.open();
		// The server's home is the project.
		await play.openFolder("  ~/inside ", "deep.ts");
		expect(await play.text()).toBe("one\ntwo\n");
	});

	test("the dialog is read-only while it reads a folder, and can be cancelled", async () => {
		const play = await stage.open();
		let release = () => {};
		const released = new Promise<void>((resolve) => {
			release = resolve;
		});
		await play.page.route("**/folder", async (route) => {
			await released;
			// The request may have been cancelled.
			await route.continue().catch(() => {});
		});
		await play.page.getByRole("button", { name: "Open folder" }).click();
		const dialog = play.page.getByRole("dialog");
		await dialog.getByRole("textbox").fill(stage.server.home.project);
		await play.press("Enter");
		await dialog.getByRole("status").getByText("Reading the folder…").waitFor();
		await play.type("elsewhere");
		expect(await dialog.getByRole("textbox").inputValue()).toBe(stage.server.home.project);
		expect(await dialog.getByRole("button", { name: "Open", exact: true }).isDisabled()).toBe(true);
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await dialog.waitFor({ state: "detached" });
		release();
		// Once this request completes, the page has handled the response before it.
		await play.page.evaluate(() => fetch("/healthz"));
		expect(await play.text()).toContain("let cnt");
		expect(await play.page.getByRole("tree").count()).toBe(0);
	});

	test("the dialog shows an error for a folder that does not exist", async () => {
		const play = await stage.open();
		await play.page.getByRole("button", { name: "Open folder" }).click();
		await play.page.getByRole("dialog").getByRole("textbox").fill("/no/such/folder");
		await play.press("Enter");
		await play.page.getByRole("alert").getByText("Folder not found").waitFor();
		expect(stage.browser.complaints.splice(0)).toEqual([expect.stringContaining("404")]);
	});
});
