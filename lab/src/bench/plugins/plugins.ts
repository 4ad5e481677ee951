// Benchmark: the plugins for CodeMirror, Monaco and VS Code in Chromium (`plugins vscode` measures one): time from a keystroke to the suggestion, and main-thread time of typing in a large file

import { TestBrowser } from "@segue/testing/playground/browser";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { PageTypist, type SuggestionWatch, type TypingTimes, watchSuggestions } from "../page/page-times.js";
import { Random, randomCode } from "../random-code.js";
import { interleave, median, percentile } from "../rounds.js";
import { codemirror, type EditorPage, type MeasuredEditor, monaco, type PageKind } from "./editor-pages.js";
import { vscode } from "./vscode-page.js";

await using browser = await TestBrowser.start();
// On a busy machine, a few rounds in a row may not count.
const RETRIES_MAX = 20;

const measurements: Measurement[] = [];
/** Each editor is started when it is measured. It is undefined if it is not installed. */
const EDITORS: Readonly<Record<string, () => Promise<MeasuredEditor> | MeasuredEditor | undefined>> = {
	codemirror,
	monaco,
	vscode,
};

const wanted = Object.keys(EDITORS).filter((name) => process.argv.includes(name));
for (const [name, start] of Object.entries(EDITORS)) {
	if (wanted.length > 0 && !wanted.includes(name)) continue;
	await using editor = await start();
	if (editor === undefined) {
		process.stderr.write(`${name}: skipped, the editor is not installed. Run this first: npm run trial -- ${name}\n`);
		continue;
	}
	measurements.push(...(await suggesting(editor)), ...(await typing(editor)));
	await browser.leave();
}
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from a manual request, which has no debounce, until the frame that shows the suggestion. An edit is
 * typed right before the request, so the time includes sending it to the agent.
 */
async function suggesting(editor: MeasuredEditor): Promise<Measurement[]> {
	const warmUpRounds = 10;
	const rounds = 60;
	const turns = {
		segue: await suggestionTimer(editor, "segue"),
		instant: await suggestionTimer(editor, "instant"),
	};
	await interleave(turns, warmUpRounds, () => showProgress(`${editor.name}, suggesting: warming up`));
	const times = await interleave(turns, rounds, (round) => {
		showProgress(`${editor.name}, suggesting: round ${round + 1} of ${rounds}`);
	});
	await browser.leave();
	const figureOf = (percent: number): Measurement => ({
		figure: `${editor.name}: from key press to visible suggestion, p${percent}`,
		value: percentile(times.segue, percent),
		unit: "ms",
		against: { name: "an agent that answers immediately", value: percentile(times.instant, percent) },
	});
	return [{ ...figureOf(50), target: { timesAtMost: 1.3 } }, figureOf(95)];
}

/** Opens a page, and returns a function that measures one suggestion in a new file. */
async function suggestionTimer(editor: MeasuredEditor, kind: PageKind): Promise<() => Promise<number>> {
	const opened = await editor.open(browser, kind);
	const { page } = opened;
	await watchSuggestions(page, editor.added);
	let files = 0;
	const measure = async (retries = RETRIES_MAX): Promise<number> => {
		await page.bringToFront();
		// A new name in each file. Otherwise the engine would continue the rename before the user types.
		const name = `v${String(files++).padStart(4, "0")}`;
		await opened.show(`file:///project/${name}.ts`, `const ${name} = 1\nlog(${name})\n`, `const ${name}`.length);
		// On a busy machine, an automatic request for the previous file may be sent for this one.
		while ((await page.locator(editor.added).count()) > 0) await page.keyboard.press("Escape");
		await page.keyboard.type("s");
		await page.keyboard.press("Alt+\\");
		await page.locator(editor.added).first().waitFor({ state: "attached" });
		const time = await page.evaluate(() => (globalThis as unknown as SuggestionWatch).suggestion());
		// On a busy machine an automatic request may come before the manual one. Such rounds do not count.
		if (time?.shown !== undefined) return time.shown;
		if (retries === 0) throw new Error(`${editor.name}: automatic requests always come before the manual one.`);
		return measure(retries - 1);
	};
	return () => measure();
}

/**
 * Measures typing in the middle of 5,000 lines, with a pause after each word in which the plugin requests and shows
 * suggestions.
 */
async function typing(editor: MeasuredEditor): Promise<Measurement[]> {
	const warmUpRounds = 2;
	const rounds = 12;
	const lines = randomCode(400_000, new Random(7)).split("\n").slice(0, 5000);
	const text = `${lines.join("\n")}\n`;
	const middle = lines.slice(0, 2500).join("\n").length;
	const open = async (kind: PageKind): Promise<EditorPage> => {
		const opened = await editor.open(browser, kind);
		await opened.show("file:///project/large.ts", text, middle);
		return opened;
	};
	const turns = { segue: typist(await open("segue")), bare: typist(await open("bare")) };
	await interleave(turns, warmUpRounds, () => showProgress(`${editor.name}, typing: warming up`));
	const runs = await interleave(turns, rounds, (round) => {
		showProgress(`${editor.name}, typing: round ${round + 1} of ${rounds}`);
	});
	await browser.leave();
	// Other load on the machine affects only some rounds, so use the median.
	const figureOf = (figure: string, timeOf: (run: TypingRun) => number): Measurement => ({
		figure: `${editor.name}: typing in 5,000 lines: ${figure}`,
		value: median(runs.segue.map(timeOf)),
		unit: "ms",
		against: { name: "the same editor without the plugin", value: median(runs.bare.map(timeOf)) },
	});
	const hasExtensions = runs.bare.some(({ extensionMs }) => extensionMs > 0);
	return [
		{
			...figureOf(
				hasExtensions
					? "CPU time of the main threads of the page and of the extensions, for 40 keys"
					: "CPU time of the main thread, for 40 key presses",
				({ busyMs, extensionMs }) => busyMs + extensionMs,
			),
			target: { timesAtMost: 1.1 },
		},
		...(hasExtensions ? [figureOf("of this, in the page", ({ busyMs }) => busyMs)] : []),
		figureOf("CPU time of the longest task, for 40 keys", ({ longestTaskMs }) => longestTaskMs),
	];
}

interface TypingRun extends TypingTimes {
	/** 0 in an editor without extensions. */
	readonly extensionMs: number;
}

function typist({ page, extensionMs = () => 0 }: EditorPage): () => Promise<TypingRun> {
	const typist = new PageTypist(page);
	return async () => {
		const before = extensionMs();
		const times = await typist.typeWords();
		return { ...times, extensionMs: extensionMs() - before };
	};
}
