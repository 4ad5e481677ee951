// Plays the featured stories in an editor with Segue's own plugin, and prints a table: npm run trial -- codemirror
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTool } from "../../scripts/tool.mjs";

/** For each plugin: the tests that play the stories. Their titles contain the story and the way of connecting. */
const PLUGINS = {
	codemirror: "editors/codemirror/browser/stories.test.ts",
	monaco: "editors/monaco/browser/stories.test.ts",
};

const [name = "", ...rest] = process.argv.slice(2);
if (name === "vscode") {
	const { run } = await import("./vscode.mjs");
	process.exit(await run(rest));
}
const file = Object.hasOwn(PLUGINS, name) && rest.length === 0 ? PLUGINS[name] : undefined;
if (file === undefined) {
	console.error(`Usage: npm run trial -- PLUGIN. Available: ${[...Object.keys(PLUGINS), "vscode"].join(", ")}.`);
	process.exit(2);
}
const chromium = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
if (!existsSync(chromium)) {
	console.log(`${name}: skipped, Chromium was not found. Run npm run setup:browser to install it, or set CHROMIUM.`);
	process.exit(0);
}

const folder = mkdtempSync(path.join(tmpdir(), "segue-trial-"));
const report = path.join(folder, "report.json");
process.exitCode = runTool("vitest", ["run", file, "--reporter=json", `--outputFile=${report}`], {
	SEGUE_TESTS: "all",
});
const { testResults } = JSON.parse(readFileSync(report, "utf8"));
rmSync(folder, { recursive: true });

const cells = testResults
	.flatMap(({ assertionResults }) => assertionResults)
	.map(({ title, status, failureMessages }) => {
		const [, story, agent] = /story of (\w+) with the agent in a (\w+)/.exec(title) ?? [];
		return { story, agent, status, failure: failureMessages[0] };
	});
const stories = [...new Set(cells.map(({ story }) => story))];
const agents = [...new Set(cells.map(({ agent }) => agent))];
const rows = agents.map((agent) => {
	const results = stories.map((story) => cells.find((cell) => cell.story === story && cell.agent === agent)?.status);
	return [`${name}, agent in a ${agent}`, ...results];
});
const table = [["editor", ...stories], ["---", ...stories.map(() => "---")], ...rows];
console.log(table.map((row) => `| ${row.join(" | ")} |`).join("\n"));
for (const { story, agent, failure } of cells) {
	if (failure !== undefined) console.log(`\n${name}, ${story}, agent in a ${agent}: ${failure}`);
}
