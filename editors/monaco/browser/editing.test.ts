import { PlayServer } from "@segue/testing/playground/play-server";
import { BROKEN_AGENT } from "@segue/testing/plugins/broken-agent";
import { inMonaco } from "@segue/testing/plugins/monaco-fixture";
import { type MonacoTester, POLL } from "@segue/testing/plugins/monaco-tester";
import { expect, test } from "vitest";

const RENAME = 'const cnt = items.length\nlog("cnt", cnt, cnt)\nif (cnt > 3) return cnt\n';
const RENAMED = RENAME.replace("cnt", "count");
const LINE_ACCEPTED = RENAMED.replace("cnt, cnt", "count, count");
const CALLS = "err := run(job, 1)\nall := run(job, 2)\nif again {\n\terr := run(job, 1)\n}\n";

inMonaco("editing with Monaco", (demo) => {
	async function rename(text = RENAME): Promise<MonacoTester> {
		const tester = await demo.open();
		await tester.open("src/main.ts", text);
		const at = text.indexOf("cnt");
		await tester.replace(at, at + 3, "count");
		await tester.suggestion();
		return tester;
	}

	/** Shows ghost text: an argument that was added to two calls, at the cursor in the third. */
	async function ghost(): Promise<{ tester: MonacoTester; at: number; text: string }> {
		const tester = await demo.open();
		await tester.open("main.go", CALLS);
		for (const before of ["err := run(", "all := run("]) {
			const at = (await tester.text()).indexOf(before) + before.length;
			await tester.replace(at, at, "ctx, ");
		}
		await tester.suggestion();
		const text = await tester.text();
		const at = text.lastIndexOf("job");
		await tester.select(at);
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe("ghost");
		return { tester, at, text };
	}

	/** Returns the number of requests that actions and a command cause. */
	async function requestsWhile(tester: MonacoTester, act: () => Promise<void>): Promise<number> {
		const before = await tester.page.evaluate(() => window.demo.requests);
		await act();
		await tester.page.evaluate(() => window.demo.segue.suggest());
		return (await tester.page.evaluate(() => window.demo.requests)) - before;
	}

	test("undoes an accepted suggestion in one step", async () => {
		const tester = await rename();
		await tester.press("Tab");
		await tester.expectText(LINE_ACCEPTED);
		await tester.press("Control+z");
		await tester.expectText(RENAMED);
	});

	test("dismisses a suggestion with Escape, and says so", async () => {
		const tester = await rename();
		const heard = await tester.noticesFromNow();
		await tester.press("Escape");
		await tester.expectNothing();
		await heard(/^Suggestion dismissed\./);
	});

	test("keeps ghost text while it is typed, and accepts the rest", async () => {
		const { tester, at, text } = await ghost();
		await tester.page.keyboard.type("ct");
		await expect.poll(async () => (await tester.shown())?.added, POLL).toBe("x,");
		await tester.press("Tab");
		await tester.expectText(`${text.slice(0, at)}ctx, ${text.slice(at)}`);
		expect(await tester.selection()).toEqual([at + 5, at + 5]);
	});

	test("accepts the next word of ghost text, and Tab accepts the rest", async () => {
		const { tester, at, text } = await ghost();
		await tester.press("Control+ArrowRight");
		await expect.poll(() => tester.text(), POLL).not.toBe(text);
		expect(await tester.text()).toBe(`${text.slice(0, at)}ctx${text.slice(at)}`);
		await expect.poll(async () => (await tester.shown())?.added, POLL).toBe(",");
		await tester.press("Tab");
		await tester.expectText(`${text.slice(0, at)}ctx, ${text.slice(at)}`);
	});

	test("leaves the document as it is when Escape dismisses ghost text", async () => {
		const { tester, text } = await ghost();
		await tester.press("Escape");
		await tester.expectNothing();
		await tester.expectText(text);
		await expect.poll(() => tester.page.locator(".ghost-text-decoration").count(), POLL).toBe(0);
	});

	test("applies suggestions to text with CRLF, tabs, wide and astral characters", async () => {
		const text = '\tconst cnt = "漢字😀" // 😀\r\n\tlog("😀", cnt, "漢", cnt)\r\n\tif (cnt) return\r\n';
		const tester = await rename(text);
		expect(await tester.shown()).toMatchObject({ removed: "cntcnt", added: "countcount" });
		await tester.press("Tab");
		const line = '\tlog("😀", count, "漢", count)';
		const after = `\tconst count = "漢字😀" // 😀\r\n${line}\r\n\tif (cnt) return\r\n`;
		await tester.expectText(after);
		const cursor = after.indexOf(line) + line.length - 1;
		await expect.poll(() => tester.selection(), POLL).toEqual([cursor, cursor]);
	});

	test("goes to a suggestion that is not visible first, and accepts it with a second Tab", async () => {
		const gap = "//\n".repeat(200);
		const tester = await rename(`const cnt = 1\n${gap}log(cnt)\n`);
		expect((await tester.shown())?.drawnAs).toBe("chip");
		expect(await tester.page.locator(".segue-chip").innerText()).toMatch(/^Tab ↓ Renaming cnt to count/);
		const before = await tester.text();
		await tester.press("Tab");
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe("inline");
		expect(await tester.text()).toBe(before);
		await tester.press("Tab");
		await tester.expectText(`const count = 1\n${gap}log(count)\n`);
	});

	test.for(["x", "漢"])("scrolls to a suggestion at the end of a long line of %s first", async (character) => {
		const long = `log(${`"${character}", `.repeat(60)}cnt)\n`;
		const tester = await rename(`const cnt = 1\n${long}`);
		expect((await tester.shown())?.drawnAs).toBe("chip");
		expect(await tester.page.locator(".segue-chip").innerText()).toMatch(/^Tab → /);
		await tester.press("Tab");
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe("inline");
		await tester.press("Tab");
		await tester.expectText(`const count = 1\n${long.replace("cnt", "count")}`);
	});

	test("goes to a suggestion in folded code first, and unfolds it", async () => {
		const tester = await demo.open();
		await tester.open("src/main.ts", "const cnt = 1\nfunction f() {\n\tlog(cnt)\n\treturn\n}\n");
		await tester.select(20);
		await tester.page.evaluate(() => window.demo.editor.getAction("editor.fold")?.run());
		await tester.replace(6, 9, "count");
		expect((await tester.suggestion()).drawnAs).toBe("chip");
		await tester.press("Tab");
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe("inline");
		await tester.press("Tab");
		await tester.expectText("const count = 1\nfunction f() {\n\tlog(count)\n\treturn\n}\n");
	});

	test("shows a suggestion in another file as a chip, and opens the file", async () => {
		const tester = await demo.open();
		await tester.open("src/other.ts", 'import { cnt } from "./main.js"\nlog(cnt)\n');
		await tester.open("src/main.ts", "export const cnt = 1\n");
		await tester.replace(13, 16, "count");
		expect(await tester.suggestion()).toMatchObject({ drawnAs: "chip", path: "src/other.ts" });
		expect(await tester.page.locator(".segue-chip").innerText()).toMatch(/^Tab → other\.ts · /);
		await tester.press("Tab");
		await tester.expectText('import { cnt } from "./main.js"\nlog(cnt)\n');
		await expect.poll(async () => (await tester.shown())?.drawnAs, POLL).toBe("inline");
	});

	test("draws a suggestion only in the editor that was used last, of two on one model", async () => {
		const tester = await rename();
		await tester.page.evaluate(() => {
			window.demo.split("src/main.ts").focus();
		});
		const arrows = tester.page.locator(".monaco-editor .segue-arrow");
		await expect.poll(() => arrows.count(), POLL).toBe(1);
		expect(await tester.page.locator(".monaco-editor").nth(1).locator(".segue-arrow").count()).toBe(1);
		await tester.press("Tab");
		await tester.expectText(LINE_ACCEPTED);
	});

	test("draws, applies and requests nothing in a read-only editor", async () => {
		const tester = await rename();
		const heard = await tester.noticesFromNow();
		await tester.page.evaluate(() => window.demo.editor.updateOptions({ readOnly: true }));
		await heard(/^No suggestions, because this editor is read-only\.$/);
		await expect.poll(() => tester.page.locator(".segue-arrow, .segue-added").count(), POLL).toBe(0);
		expect(await requestsWhile(tester, () => tester.press("Tab"))).toBe(0);
		await tester.page.evaluate(() => window.demo.editor.updateOptions({ readOnly: false }));
		await expect.poll(() => tester.page.locator(".segue-arrow").count(), POLL).toBe(1);
		await tester.expectText(RENAMED);
	});

	test("draws and requests nothing while there are several cursors, and Tab indents", async () => {
		const tester = await rename();
		expect(await tester.page.evaluate(() => window.demo.notices.join("\n"))).not.toContain("cursor");
		const heard = await tester.noticesFromNow();
		await tester.press("Control+Home");
		await tester.page.evaluate(() => window.demo.editor.trigger("test", "editor.action.insertCursorBelow", {}));
		await heard(/^No suggestions while there is more than one cursor\.$/);
		await expect.poll(() => tester.page.locator(".segue-arrow").count(), POLL).toBe(0);
		expect(await requestsWhile(tester, () => tester.press("Tab"))).toBe(0);
		expect(await tester.text()).toMatch(/^\s+const count.*\n\s+log/);
	});

	test("names the key that accepts, also to screen readers, and uses it where Tab would indent", async () => {
		const tester = await demo.open();
		await tester.page.evaluate(() => {
			const { monaco, restart } = window.demo;
			restart({ keys: { accept: monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter } });
		});
		await tester.open("src/main.ts", `{\n\t}\n${RENAME}`);
		const at = (await tester.text()).indexOf("cnt");
		await tester.replace(at, at + 3, "count");
		await tester.suggestion();
		const key = tester.page.locator(".segue-badge kbd");
		await expect.poll(() => key.textContent(), POLL).toBe("Ctrl Enter");
		const status = tester.page.locator(".segue-status");
		await expect.poll(() => status.textContent(), POLL).toContain("Press Ctrl Enter to accept it or go there");
		await tester.select(3);
		await tester.press("Control+Enter");
		await tester.expectText(`{\n\t}\n${LINE_ACCEPTED}`);
	});

	test("ignores a surplus Tab for 1.5 seconds after the last suggestion, and then indents again", async () => {
		const tester = await rename("const cnt = 1\nlog(cnt)\n");
		await tester.page.evaluate(() => {
			const { setTimeout } = window;
			window.setTimeout = ((run: () => void, ms?: number) => {
				if (ms !== 1500) return setTimeout(run, ms);
				addEventListener("time is over", run);
				return 0;
			}) as typeof setTimeout;
		});
		await tester.press("Tab");
		const done = "const count = 1\nlog(count)\n";
		await tester.expectText(done);
		await tester.press("Tab");
		expect(await tester.text()).toBe(done);
		await tester.page.evaluate(() => dispatchEvent(new Event("time is over")));
		await tester.press("Tab");
		expect(await tester.text()).not.toBe(done);
	});

	test("leaves Tab to the indentation of selected text", async () => {
		const tester = await rename();
		await tester.select(0, RENAMED.length);
		await tester.press("Tab");
		expect(await tester.text()).toMatch(/^\s+const count.*\n\s+log.*cnt.*\n\s+if/);
	});

	test.for([false, true])(
		"leaves Tab to the completion list and to snippets, unless keysFirst is %s",
		async (keysFirst) => {
			const tester = await demo.open();
			await tester.page.evaluate((keysFirst) => window.demo.restart({ keysFirst }), keysFirst);
			await tester.open("src/main.ts", RENAME);
			await tester.replace(6, 9, "count");
			await tester.suggestion();
			await tester.select(RENAMED.length);
			await tester.page.evaluate(() => {
				const { editor, monaco } = window.demo;
				const { CompletionItemKind, CompletionItemInsertTextRule } = monaco.languages;
				const insertTextRules = CompletionItemInsertTextRule.InsertAsSnippet;
				monaco.languages.registerCompletionItemProvider("typescript", {
					provideCompletionItems: (_model, { lineNumber, column }) => {
						const range = new monaco.Range(lineNumber, column, lineNumber, column);
						const kind = CompletionItemKind.Snippet;
						return { suggestions: [{ label: "pair", insertText: "pair($1, $2)", insertTextRules, kind, range }] };
					},
				});
				editor.trigger("test", "editor.action.triggerSuggest", {});
			});
			await tester.page.locator(".suggest-widget.visible").getByText("pair").first().waitFor();
			await tester.press("Tab");
			if (keysFirst) {
				await tester.expectText(LINE_ACCEPTED);
				return;
			}
			await tester.expectText(`${RENAMED}pair(, )`);
			await tester.press("Tab");
			await tester.page.keyboard.type("x");
			await tester.expectText(`${RENAMED}pair(, x)`);
		},
	);

	test("suggests in a file of 50,000 lines", async () => {
		const lines = Array.from({ length: 50_000 }, (_, i) => `log(${i}, other)\n`).join("");
		const tester = await rename(`const cnt = 1\nlog(cnt)\n${lines}`);
		await tester.press("Tab");
		await expect
			.poll(() => tester.page.evaluate(() => window.demo.editor.getModel()?.getLineContent(2)), POLL)
			.toBe("log(count)");
	});

	test("follows a text that the page replaces, and does not open files that are too large", async () => {
		const tester = await rename();
		await tester.page.evaluate(() => window.demo.editor.setValue("const cnt = 1\nlog(cnt)\n"));
		await tester.expectNothing();
		await tester.replace(6, 9, "count");
		await tester.suggestion();
		const heard = await tester.noticesFromNow();
		await tester.page.evaluate(() => window.demo.open("src/large.ts", "x".repeat(20_000_001)));
		await heard(/^This file is too large for suggestions\.$/);
	});

	test("uses `segue serve` over a WebSocket, and reports a wrong token with the next step", async () => {
		await using server = await PlayServer.start();
		demo.server.agent = server.origin;
		demo.allow(/WebSocket connection to .* failed/);
		const tester = await demo.open();
		const connect = (token: string) =>
			tester.page.evaluate((token) => {
				const { serverAgent, restart } = window.demo;
				restart({ connect: serverAgent(new URL("/acp", location.href.replace("http", "ws")), token) });
			}, token);
		const heard = await tester.noticesFromNow();
		await connect("a-token-that-is-wrong");
		await heard(
			/No agent answers at ws:.*Start one with `segue serve`, and check the address, the token and `--allow-origin`\./,
		);
		await connect(server.token);
		await tester.open("src/main.ts", RENAME);
		await tester.replace(6, 9, "count");
		await tester.suggestion();
		await tester.press("Tab");
		await tester.expectText(LINE_ACCEPTED);
	});

	test("reports a worker that cannot be loaded, with the next step", async () => {
		demo.allow(/404/);
		const tester = await demo.open();
		const heard = await tester.noticesFromNow();
		await tester.page.evaluate(() => {
			const { workerAgent, restart } = window.demo;
			restart({ connect: workerAgent(() => new Worker("missing.js", { type: "module" })) });
		});
		await heard(/could not be loaded\. Check the address of agent-worker\.js\./);
	});

	test("shows the agent's error and the next step if it cannot start", async () => {
		const tester = await demo.open();
		const heard = await tester.noticesFromNow();
		await tester.page.evaluate((address) => {
			const { workerAgent, restart } = window.demo;
			restart({ connect: workerAgent(() => new Worker(address, { type: "module" })) });
		}, BROKEN_AGENT);
		await heard(/^Initialize failed: .*no memory left\. Press Alt\+\\ to try again\.$/m);
		await tester.open("src/main.ts", RENAME);
		await tester.replace(6, 9, "count");
		await tester.expectText(RENAMED);
	});

	test.for(["untitled:Untitled-1", "inmemory://model/1"])(
		"suggests in the document %s, which is not on disk",
		async (uri) => {
			const tester = await demo.open();
			await tester.page.evaluate(
				([uri, text]) => {
					const { monaco, editor } = window.demo;
					editor.setModel(monaco.editor.createModel(text, "typescript", monaco.Uri.parse(uri)));
				},
				[uri, RENAME] as const,
			);
			await tester.replace(6, 9, "count");
			await tester.suggestion();
			await tester.press("Tab");
			await tester.expectText(LINE_ACCEPTED);
		},
	);

	test("starts another agent after a crash, and suggests again", async () => {
		const tester = await rename();
		const heard = await tester.noticesFromNow();
		await tester.page.evaluate(() => window.demo.workers[0]?.dispatchEvent(new ErrorEvent("error")));
		await heard(/closed|stopped|exited/);
		await expect.poll(() => tester.page.evaluate(() => window.demo.workers.length), POLL).toBe(2);
		await tester.suggestion();
		await tester.press("Tab");
		await tester.expectText(LINE_ACCEPTED);
	});

	test("removes its drawing, keys and styles when it is disposed", async () => {
		const tester = await rename();
		await tester.page.evaluate(() => window.demo.segue.dispose());
		expect(await tester.page.locator(".segue-arrow, .segue-badge, .segue-added, .segue-status").count()).toBe(0);
		expect(await tester.page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
		await tester.select(0);
		await tester.press("Tab");
		expect(await tester.text()).toMatch(/^\s+const count/);
	});
});
