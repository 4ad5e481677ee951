import { existsSync } from "node:fs";
import { versions } from "node:process";
import type { Configuration } from "@segue/agent/config/configuration";
import { maskAddress, redactSecrets } from "@segue/agent/config/masking";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import { type Clock, startTimer } from "@segue/text/clock";
import { sanitize, sanitizeLine, sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { CheckList, CheckResult } from "../doctor/check-list.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { columnsOf, type Output, wrap } from "../terminal/width.js";
import { secretsOf } from "./config.js";

export function addDoctor(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("doctor")
		.description("Check the installation, configuration, API keys and models.")
		.allowExcessArguments(false)
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Examples:
  $ segue doctor
  $ SEGUE_NEXT_EDIT_MODEL=codestral/codestral-latest segue doctor

The models are tested with a sample file, so none of your code is sent.
The exit code is 1 if a check fails.`,
		)
		.action(async (options: { json?: boolean }) => {
			await runDoctor(options, process);
		});
}

/** The exit code that shells report after Ctrl-C. */
const INTERRUPTED = 130;

/** The oldest supported version of Node. */
const NODE_MIN = [20, 19] as const;

/** Hosted databases can take several seconds to resume. */
const STORE_MS_MAX = 15_000;

/** The parts of the process that the command uses. */
interface DoctorContext {
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly nodeVersion: string;
	readonly stdout: Output;
	/** Receives the progress; undefined outside a terminal. */
	readonly progress: Output | undefined;
	readonly isColoured: boolean;
	readonly timer: Clock;
	/** Aborted by Ctrl-C. */
	readonly signal: AbortSignal;
}

async function runDoctor(options: { readonly json?: boolean }, process: CommandProcess): Promise<void> {
	const { stdout, stderr, env } = process;
	const interrupted = new AbortController();
	const interrupt = () => {
		process.off("SIGINT", interrupt);
		interrupted.abort();
	};
	process.on("SIGINT", interrupt);
	process.exitCode = await examine(options, {
		...{ folder: process.cwd(), env, stdout, signal: interrupted.signal },
		nodeVersion: versions.node,
		progress: stderr.isTTY ? stderr : undefined,
		isColoured: isColoured(stdout, env),
		timer: { now: () => performance.now(), after: startTimer },
	});
	// A server that does not answer must not keep the process alive. Flush the output first.
	stdout.write("", () => process.exit());
}

/** Returns the exit code: 1 if a check fails. */
export async function examine({ json = false }: { readonly json?: boolean }, context: DoctorContext): Promise<number> {
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const { CheckList } = await import("../doctor/check-list.js");
	const { Screen } = await import("../terminal/screen.js");
	const { folder, env, stdout, progress, timer, signal } = context;
	const configuration = readConfiguration({ folder, env, flags: {} });
	const secrets = [...secretsOf(configuration)];
	const paint = paintFor(context.isColoured && !json);
	const write = (text: string) => {
		if (!json) stdout.write(redactSecrets(text, secrets));
	};
	const checks = new CheckList(
		signal,
		timer,
		new Screen(progress ?? stdout, paint, progress && timer.after),
		(finding) => write(print(finding, paint, columnsOf(stdout))),
		(about) => write(`${checks.findings.length > 0 ? "\n" : ""}${paint.bold(about)}\n`),
	);
	let isStopped = false;
	try {
		await checkAll(checks, configuration, context.nodeVersion);
	} catch (error) {
		if (!signal.aborted) throw error;
		isStopped = true;
	}
	const { findings } = checks;
	const isWell = !findings.some(({ status }) => status === "failure");
	if (json) stdout.write(`${JSON.stringify(redactSecrets({ isWell, isStopped, findings }, secrets), undefined, 2)}\n`);
	else write(`\n${isStopped ? "Stopped." : summaryOf(findings)}\n`);
	if (isStopped) return INTERRUPTED;
	return isWell ? 0 : 1;
}

async function checkAll(checks: CheckList, configuration: Configuration, nodeVersion: string): Promise<void> {
	const { checkChatModel, checkEditModel } = await import("../doctor/model-check.js");
	const { nextEdit, editModels, model, models } = configuration;
	checks.turnTo("This machine");
	checks.found(nodeFinding(nodeVersion), ...configurationFindings(configuration));
	await checks.check("opening the database", STORE_MS_MAX, () => storeFinding(configuration));
	checks.found(...keyFindings(configuration));

	checks.turnTo(
		`Next edits: ${nextEdit.model.value === EMBEDDED ? "built-in engine" : sanitizeName(nextEdit.model.value)}`,
	);
	if (nextEdit.model.value === EMBEDDED) {
		checks.found({
			status: "ok",
			text: "The built-in engine suggests edits by rules, without a model.",
			next: "For edits that no rule finds, set SEGUE_NEXT_EDIT_MODEL=PROVIDER/MODEL. To list models: segue models",
		});
	} else await checkEditModel(checks, editModels.choose(undefined));

	checks.turnTo(`Chat: ${sanitizeName(model?.value ?? "no model")}`);
	if (model === undefined) checks.found({ status: "info", text: whyOf(models.choose(undefined)) });
	else await checkChatModel(checks, models.choose(undefined));
}

function whyOf(unavailable: object): string {
	return "why" in unavailable ? String(unavailable.why) : "";
}

function nodeFinding(version: string): CheckResult {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const [majorMin, minorMin] = NODE_MIN;
	if (major > majorMin || (major === majorMin && minor >= minorMin)) return { status: "ok", text: `Node ${version}.` };
	const next = `Install Node ${NODE_MIN.join(".")} or newer.`;
	return { status: "failure", text: `Node ${version} is too old.`, next };
}

function configurationFindings({ problems, warnings, userFiles: places, projectFile }: Configuration): CheckResult[] {
	const files = [places.configuration, projectFile].filter((file) => existsSync(file)).map(sanitizeName);
	const source =
		files.length === 0
			? "No configuration file found; using defaults."
			: `The configuration comes from ${files.join(" and ")}.`;
	const { configuration, keys, trust } = places;
	const isAboutFile = (text: string) =>
		[configuration, projectFile, keys, trust].some((file) => text.startsWith(sanitizeName(file)));
	return [
		...problems.map((text): CheckResult => {
			const next = isAboutFile(text)
				? "Fix this. Until then the file is ignored."
				: "Change or unset it. Until then it is ignored.";
			return { status: "failure", text, next };
		}),
		...warnings.map((text): CheckResult => ({ status: "warning", text })),
		...(problems.length === 0 ? [{ status: "ok", text: source } as const] : []),
	];
}

async function storeFinding(configuration: Configuration): Promise<CheckResult> {
	const { value } = configuration.store;
	const place = "file" in value ? sanitizeName(value.file) : maskAddress(value.url);
	if ("file" in value && !existsSync(value.file))
		return { status: "ok", text: `Conversations will be stored in ${place}.` };
	const { openStore } = await import("@segue/agent/chat/engine");
	const { StoreError } = await import("@segue/assist/failures");
	try {
		const { store, notice } = await openStore(configuration);
		await store.close();
		if (notice !== undefined) return { status: "warning", text: notice };
		return { status: "ok", text: `Conversations are stored in ${place}.` };
	} catch (error) {
		if (!(error instanceof StoreError)) throw error;
		return { status: "failure", text: error.message };
	}
}

function keyFindings({ providers }: Configuration): CheckResult[] {
	const keys = [...providers.values()].flatMap(({ name, key }) => (key === undefined ? [] : [{ name, key }]));
	const wrong = keys.flatMap(({ name, key: { objection, origin } }): CheckResult[] => {
		if (objection === undefined) return [];
		const text = `${sanitizeName(origin.where ?? "")} contains an invalid key for ${name}. ${objection}`;
		return [{ status: "failure", text, next: "Replace or unset it." }];
	});
	const names = keys.filter(({ key }) => key.objection === undefined).map(({ name }) => name);
	const unset = [...providers.values()].flatMap(({ name, unsetVariable }): CheckResult[] => {
		if (unsetVariable === undefined) return [];
		const text = `${sanitizeName(unsetVariable)} is configured to contain the key for ${name}, but is not set.`;
		return [{ status: "warning", text, next: `Set it, or run: segue login ${name}` }];
	});
	const found =
		names.length === 0
			? "No API keys found. The built-in engine and local models need none."
			: `Found API keys for ${names.join(", ")}.`;
	return [...wrong, ...unset, { status: "ok", text: found }];
}

const STATUS_WIDTH = "failure".length;

function print({ status, text, next, diff }: CheckResult, paint: Paint, columns: number): string {
	const { green, yellow, red, dim } = paint;
	const colour = { ok: green, info: dim, warning: yellow, failure: red }[status];
	const indent = " ".repeat(STATUS_WIDTH + 2);
	const lines = (words: string) => wrap(sanitizeLine(words), columns - indent.length);
	const below = [
		...(diff ?? "")
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => dim(sanitize(line))),
		...(next === undefined ? [] : lines(next)),
	];
	const [first = "", ...more] = lines(text);
	const rest = [...more, ...below].map((line) => `${indent}${line}\n`);
	return `${colour(status.padEnd(STATUS_WIDTH))}  ${first}\n${rest.join("")}`;
}

function summaryOf(findings: readonly CheckResult[]): string {
	const count = (status: CheckResult["status"]) => findings.filter((finding) => finding.status === status).length;
	const [failures, warnings] = [count("failure"), count("warning")];
	if (failures + warnings === 0) return "No problems found.";
	const counted = (number: number, noun: string) =>
		number === 0 ? [] : [`${number} ${noun}${number === 1 ? "" : "s"}`];
	return `${[...counted(failures, "failure"), ...counted(warnings, "warning")].join(" and ")}.`;
}
