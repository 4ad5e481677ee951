// Plays stories in VS Code with the extension: code-server in Chromium, driven by the keyboard.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { afterOf, readStory, readStoryFile } from "@segue/story";
import {
	CODE_SERVER,
	CodeServer,
	codeServerFolder,
	install,
	isInstalled,
	packageExtension,
} from "@segue/testing/vscode/code-server";
import { isSuggestion, VsCodeWindow } from "@segue/testing/vscode/vscode-window";
import { chromium } from "playwright-core";

const root = path.join(import.meta.dirname, "..", "..");
// Longer than the agent takes, so that a missing suggestion is not just late.
const QUIET_MS = 3_000;

/**
 * The stories, by name: a story in stories/, or its text here. In the last one, the user types the start of the
 * suggestion, and the rest becomes ghost text.
 */
const STORIES = [
	["rename", "rename", "Renames a variable everywhere"],
	["across files", "rename", "Follows an exported name into the file that imports it"],
	["no suggestion", "rename", "A longer word that contains the name stays"],
	["repeat", "repeat", "Repeats an insertion on an equal line"],
	["template", "template", "Repeats a change with the words of each line"],
	["sibling", "sibling", "Adds a setting to the second of two equal objects"],
	["several lines", "sibling", "Adds a match arm for a new variant"],
	["jump", "jump", "Jumps to a use of a changed declaration"],
	["jump out of view", jumpOutOfView()],
	["typing on", "sibling", "Adds a setting to the second of two equal objects", "\n  sec"],
];

/** Prints a table of the results. Returns the exit code. */
export async function run(args) {
	const { values: options } = parseArgs({
		args,
		options: { story: { type: "string" }, screenshots: { type: "string" }, "code-server": { type: "string" } },
	});
	const names = STORIES.map(([name]) => name);
	if (options.story !== undefined && !names.includes(options.story)) {
		console.error(`There is no story "${options.story}". Available: ${names.join(", ")}.`);
		return 2;
	}
	const browserPath = [process.env["CHROMIUM"], "/usr/bin/chromium"].find((file) => file && existsSync(file));
	if (browserPath === undefined) return skipped("Chromium was not found; run npm run setup:browser");
	const folder = options["code-server"] ?? codeServerFolder();
	const problem = isInstalled(folder) ? undefined : install(folder);
	if (problem !== undefined) return skipped(problem);
	const vsix = packageExtension();
	const work = mkdtempSync(path.join(tmpdir(), "segue-vscode-"));
	const rows = [];
	let server;
	let browser;
	try {
		server = await CodeServer.start({ folder, work, vsix });
		browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
		for (const [name, file, title, typed] of STORIES) {
			if (options.story !== undefined && options.story !== name) continue;
			const failure = await play(server, browser, storyOf(file, title), { name, typed, ...options });
			process.stderr.write(`VS Code, ${name}: ${failure ?? "passed"}\n`);
			rows.push([name, failure === undefined ? "passed" : "FAILED"]);
		}
	} finally {
		await browser?.close();
		server?.stop();
		rmSync(work, { recursive: true, force: true });
	}
	const table = [
		["editor", ...rows.map(([name]) => name)],
		rows.map(() => "---").concat("---"),
		[`VS Code (code-server ${CODE_SERVER})`, ...rows.map(([, result]) => result)],
	];
	console.log(table.map((row) => `| ${row.join(" | ")} |`).join("\n"));
	return rows.every(([, result]) => result === "passed") ? 0 : 1;
}

function skipped(why) {
	console.log(`vscode: skipped, ${why}`);
	return 0;
}

function jumpOutOfView() {
	const filler = Array.from({ length: 80 }, (_, i) => `    step(${i});`).join("\n");
	const below = (use) => `\n    start();\n${filler}\n}\n\nfn main() {\n    show(${use}first(all));\n}\n`;
	return `--- editor can jump
--- user main.rs
fn first(all: &[u8]) -> ‹u8→Option<u8>▮› {${below("")}--- suggests jump main.rs
fn first(all: &[u8]) -> Option<u8> {${below("▮")}`;
}

function storyOf(file, title) {
	if (title === undefined) return readStory(file);
	const markdown = readFileSync(path.join(root, "stories", `${file}.story.md`), "utf8");
	const found = readStoryFile(markdown).find((story) => story.title === title);
	if (found === undefined) throw new Error(`stories/${file}.story.md has no story "${title}"`);
	return readStory(found.source);
}

/** Plays a story in a new window. Returns what went wrong, if anything. */
async function play(server, browser, { steps }, { name, typed, screenshots }) {
	const folder = path.join(server.work, "projects", name.replaceAll(" ", "-"));
	const texts = new Map();
	for (const { path: file, picture } of steps) {
		if (picture !== undefined && !texts.has(file)) texts.set(file, picture.before);
	}
	for (const [file, text] of texts) {
		mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
		writeFileSync(path.join(folder, file), text);
	}
	const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
	const window = new VsCodeWindow(page, server, folder);
	const shoot = async (when) => {
		if (screenshots === undefined) return;
		mkdirSync(screenshots, { recursive: true });
		await page.screenshot({ path: path.join(screenshots, `${name.replaceAll(" ", "-")}-${when}.png`) });
	};
	try {
		const files = [...texts.keys()];
		const first = steps.find(({ verb }) => verb === "user")?.path ?? files[0];
		await window.open([...files.filter((file) => file !== first), first]);
		let count = 0;
		for (const { verb, path: file, picture } of steps) {
			if (verb === "user" || verb === "user types") {
				await window.show(file);
				for (const edit of picture.edits.toReversed()) await window.type(picture.before, edit);
				texts.set(file, afterOf(picture));
				await window.reads(file, afterOf(picture));
			} else if (verb === "suggests" || verb === "suggests jump") {
				await window.suggests();
				count++;
				if (typed !== undefined) {
					const [{ from, insert }] = picture.edits;
					await window.type(picture.before, { from, to: from, insert: typed });
					await window.drawsGhost(insert.slice(typed.length));
				} else if (verb === "suggests") {
					if (await window.isOutOfView()) await shoot(`${count}-before`);
					await window.goToSuggestion();
					await window.draws(drawingOf(picture));
				}
				await shoot(`${count}`);
				const target = verb === "suggests" ? afterOf(picture) : undefined;
				if (target === undefined) await window.jumps(positionIn(picture));
				else {
					await page.keyboard.press("Tab");
					await window.reads(file, target);
				}
				if (target !== undefined && typed === undefined && count === 1)
					await window.undoesInOneStep(file, picture.before, target);
			} else if (verb === "suggests nothing") {
				await setTimeout(QUIET_MS);
				const status = await window.status();
				if (isSuggestion(status)) throw new Error(`expected no suggestion: ${status}`);
			} else if (verb === "user rejects") {
				await page.keyboard.press("Escape");
			}
		}
		return undefined;
	} catch (error) {
		await shoot("failed");
		return error.message;
	} finally {
		await page.close();
	}
}

/** Returns the texts that the editor draws for a suggestion that is visible: the new text, and the label. */
function drawingOf(picture) {
	const { before, edits } = picture;
	const isInLines = edits.every(({ from, to, insert }) => !/\n/.test(before.slice(from, to) + insert));
	if (isInLines) return [...edits.map(({ insert }) => insert).filter((insert) => insert !== ""), "Tab"];
	// The box contains the changed lines as they will be.
	const first = before.slice(0, edits[0].from).split("\n").length - 1;
	const below = before.slice(edits.at(-1).to).split("\n").length - 1;
	const after = afterOf(picture).split("\n");
	const lines = after.slice(first, after.length - below);
	while (lines.at(-1)?.trim() === "") lines.pop();
	while (lines[0]?.trim() === "") lines.shift();
	return [...lines, "Tab"];
}

/** Returns the target of a jump, as shown in the status bar. */
function positionIn({ selection, before }) {
	const lines = before.slice(0, selection?.head ?? 0).split("\n");
	return `${lines.length}:${lines.at(-1).length + 1}`;
}
