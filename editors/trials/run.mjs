// Plays five stories in real editors with `segue lsp` and prints a table of results by client and story. Run manually;
// see README.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { clients, Skipped } from "./clients.mjs";
import { stories } from "./stories.mjs";

const here = import.meta.dirname;
const { values: options, positionals: names } = parseArgs({
	allowPositionals: true,
	options: { plugins: { type: "string" }, "editors-root": { type: "string" }, story: { type: "string" } },
});
const unknown = names.filter((name) => !clients.some((client) => client.name === name));
if (unknown.length > 0) {
	console.error(`Unknown client: ${unknown.join(", ")}. Available: ${clients.map(({ name }) => name).join(", ")}.`);
	process.exit(2);
}

const chosen = stories.filter(({ name }) => options.story === undefined || name === options.story);
const rows = [["client", ...chosen.map(({ name }) => name)]];
const failures = [];
for (const client of clients) {
	if (names.length > 0 && !names.includes(client.name)) continue;
	const row = [client.name];
	try {
		for (const story of chosen) {
			const { ways, failure, folder } = await play(client, story);
			row.push(failure === undefined ? cellOf(ways) : "FAILED");
			if (failure !== undefined) failures.push(`${client.name}, ${story.name}: ${failure}\n  (${folder})`);
			process.stderr.write(`${client.name}, ${story.name}: ${row.at(-1)}\n`);
		}
		rows.push(row);
	} catch (error) {
		if (!(error instanceof Skipped)) throw error;
		console.log(`${client.name}: skipped, ${error.message}`);
	}
}
console.log(
	rows
		.map((row) => `| ${row.join(" | ")} |`)
		.toSpliced(1, 0, `|${" --- |".repeat(rows[0].length)}`)
		.join("\n"),
);
if (failures.length > 0) console.log(`\n${failures.join("\n\n")}`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Plays a story in a new folder, which is kept if the story fails. */
async function play(client, { name, files, edits, suggestions, after }) {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-trial-"));
	const home = path.join(folder, "home");
	const project = path.join(folder, "project");
	for (const { path: file, text } of files) {
		mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
		writeFileSync(path.join(project, file), text);
	}
	mkdirSync(path.join(project, ".git"));
	mkdirSync(home);
	const plan = { files, edits, suggestions, log: path.join(folder, "log"), result: path.join(folder, "result.json") };
	writeFileSync(path.join(folder, "plan.json"), JSON.stringify(plan, undefined, 2));
	const env = {
		...process.env,
		...{ HOME: home, SEGUE_HOME: path.join(home, "segue"), SEGUE_TRIALS: here },
		...{ SEGUE_TRIAL_PLAN: path.join(folder, "plan.json"), SEGUE_TRIAL_LOG: plan.log },
		PATH: `${path.join(here, "bin")}${path.delimiter}${process.env["PATH"]}`,
	};
	for (const unwanted of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMUX"]) delete env[unwanted];
	// Use the configuration that users get.
	const { status, stderr } = spawnSync("segue", ["setup", "editor", ...client.setup, "--yes"], {
		env,
		encoding: "utf8",
	});
	if (status !== 0) throw new Error(`segue setup failed: ${stderr}`);
	const { plugins, "editors-root": root } = options;
	try {
		await client.run({ folder, home, project, plan, env, plugins, root, here });
	} catch (error) {
		if (error instanceof Skipped) rmSync(folder, { recursive: true });
		throw error;
	}
	await serverEnded(plan.log);
	const result = existsSync(plan.result) ? JSON.parse(readFileSync(plan.result, "utf8")) : { error: "no result" };
	const wrong = Object.keys(after).filter((file) => result.after?.[file] !== after[file]);
	const texts = wrong.map((file) => `${file} is\n${result.after?.[file]}\nbut should be\n${after[file]}`).join("\n");
	const failure = result.error ?? (wrong.length > 0 ? texts : undefined);
	if (failure === undefined) rmSync(folder, { recursive: true });
	return { ways: result.ways ?? [], failure, folder, name };
}

/** Waits for the server, which saves its statistics after the editor has exited. */
async function serverEnded(log) {
	for (const deadline = Date.now() + 10_000; Date.now() < deadline; await setTimeout(50)) {
		if (!existsSync(log) || readFileSync(log, "utf8").includes('"exit"')) return;
	}
}

/** Returns the table cell for a passed story, which lists how the client reached the suggestions. */
function cellOf(ways) {
	return ["passed", ...new Set(ways)].join("; ");
}
