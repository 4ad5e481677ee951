import path from "node:path";
import type { JsonPath } from "@segue/agent/config/json";
import type { ConfigurationFile } from "@segue/agent/config/keys";
import { shellArgument } from "@segue/agent/config/masking";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { MASK, sanitizeName } from "@segue/text/sanitize";
import { type Command, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import { confirmInTerminal } from "../terminal/confirm.js";

export function addTrust(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("trust")
		.description("let a project's .segue.json start commands, name addresses and allow what would be asked for")
		.argument("[folder]", "the project's; the present one where it is left out")
		.allowExcessArguments(false)
		.addOption(new Option("--list", "list the folders that are trusted").conflicts("remove"))
		.addOption(new Option("--remove", "trust it no longer").conflicts("forget"))
		.addOption(new Option("--forget", "ask again for what was always allowed in it").conflicts("list"))
		.option("--yes", "approve without a question; required outside a terminal")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue trust ~/src/app\n  $ segue trust --forget ~/src/app\n\nTrust is in what the file says now: when that changes, it has to be given again.",
		)
		.action(async (folder: string | undefined, options: TrustOptions) => {
			const { env, stdout, stderr } = process;
			const root = path.resolve(process.cwd(), folder ?? ".");
			process.exitCode = await trust(root, options, { env, stdout, stderr, confirm: confirmInTerminal(process) });
		});
}

export interface TrustOptions {
	readonly list?: boolean;
	readonly remove?: boolean;
	readonly forget?: boolean;
	readonly yes?: boolean;
}

/** The parts of the process that the command uses. */
interface TrustContext {
	readonly env: EnvironmentVariables;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	/** Asks the user for a yes; undefined outside a terminal. */
	readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** Returns the exit code. */
export async function trust(
	folder: string,
	options: TrustOptions,
	{ env, stdout, stderr, confirm }: TrustContext,
): Promise<number> {
	const { fieldName } = await import("@segue/agent/config/json");
	const { userFilesOf, projectFileOf } = await import("@segue/agent/config/user-files");
	const { UserError, reportUserErrors } = await import("@segue/agent/config/user-error");
	const { digestOf, splitByTrust, readTrust, realFolder, writeTrust } = await import("@segue/agent/config/trust");
	return reportUserErrors(stderr, async () => {
		const { trust: file } = userFilesOf(env);
		const trusted = new Map(readTrust(file));
		const root = realFolder(folder);
		if (options.list) {
			const lines: string[] = [];
			for (const [place, digest] of trusted) lines.push(`${sanitizeName(place)}${await standingOf(place, digest)}\n`);
			stdout.write(lines.length === 0 ? "No folder is trusted.\n" : lines.join(""));
		} else if (options.remove) {
			const wasTrusted = trusted.delete(root);
			if (wasTrusted) writeTrust(file, trusted);
			stdout.write(`${sanitizeName(root)} ${wasTrusted ? "is no longer" : "was not"} trusted.\n`);
		} else if (options.forget) {
			const { openThreadStore } = await import("../terminal/open-store.js");
			const { store } = await openThreadStore(root, env);
			const wasAllowed = await store.forgetAllowances(root).finally(() => store.close());
			const told = wasAllowed ? "What was always allowed in" : "Nothing was always allowed in";
			stdout.write(`${told} ${sanitizeName(root)}${wasAllowed ? " is asked for again" : ""}.\n`);
		} else {
			const project = await readProject(root);
			if (project === undefined) throw new UserError(`There is no ${sanitizeName(projectFileOf(root))} to trust.`);
			const digest = digestOf(project);
			if (digest === undefined) {
				stdout.write(`Nothing in ${sanitizeName(projectFileOf(root))} needs trust.\n`);
				return;
			}
			const lines = linesOf(splitByTrust(project).guarded, fieldName).map((line) => `  ${line}\n`);
			stdout.write(`These settings in ${sanitizeName(projectFileOf(root))} need your approval:\n${lines.join("")}`);
			if (!options.yes) {
				if (confirm === undefined) throw new UserError("Not a terminal: pass --yes to approve these settings.");
				if (!(await confirm("Do you trust them?"))) throw new UserError("Not trusted. Nothing was changed.");
			}
			writeTrust(file, trusted.set(root, digest));
			stdout.write(`Trusted until the file changes. To undo: segue trust --remove ${shellArgument(root)}\n`);
		}
	});
}

/** A note for a trusted folder whose file has changed since. */
async function standingOf(folder: string, digest: string): Promise<string> {
	const { UserError } = await import("@segue/agent/config/user-error");
	const { digestOf } = await import("@segue/agent/config/trust");
	try {
		const project = await readProject(folder);
		if (project === undefined) return "  (its .segue.json is gone)";
		return digestOf(project) === digest ? "" : "  (changed since, so not trusted)";
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		return "  (its .segue.json cannot be read)";
	}
}

async function readProject(folder: string): Promise<ConfigurationFile | undefined> {
	const { readLayer } = await import("@segue/agent/config/layer");
	const { projectFileOf } = await import("@segue/agent/config/user-files");
	const { UserError } = await import("@segue/agent/config/user-error");
	const problems: string[] = [];
	const layer = readLayer("workspace", projectFileOf(folder), problems);
	if (problems.length > 0) throw new UserError(problems.join("\n"));
	return layer?.value;
}

/** Every value in full, because the user has to see what they trust. A project's file contains no secrets of the user. */
function linesOf(value: unknown, fieldName: (path: JsonPath) => string, path: JsonPath = []): string[] {
	if (typeof value === "object" && value !== null && !isFlat(value)) {
		const isList = Array.isArray(value);
		return Object.entries(value).flatMap(([key, held]) =>
			linesOf(held, fieldName, [...path, isList ? Number(key) : key]),
		);
	}
	const [section, name, field] = path;
	// Only the server that receives a header uses it.
	if (field === "headers") return [`${fieldName(path)}: ${MASK}`];
	const isAddress = section === "providers" && field === "baseUrl";
	return [
		`${fieldName(path)}: ${sanitizeName(JSON.stringify(value))}${isAddress ? ` (your key for ${name} goes there)` : ""}`,
	];
}

/** Rules and argument lists are printed on one line. */
function isFlat(value: object): boolean {
	return Array.isArray(value) ? value.every((item) => typeof item === "string") : "answer" in value;
}
