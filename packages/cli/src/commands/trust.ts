import path from "node:path";
import type { JsonPath } from "@segue/agent/config/json";
import type { ConfigurationFile } from "@segue/agent/config/keys";
import { shellArgument } from "@segue/agent/config/masking";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { MASK, sanitizeName } from "@segue/text/sanitize";
import { type Command, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import { confirmInTerminal } from "../terminal/confirm.js";
import { reportUserErrors } from "../terminal/message.js";
import type { Output } from "../terminal/width.js";

export function addTrust(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("trust")
		.description("Approve the sensitive settings in a project's .segue.json.")
		.argument("[folder]", "project folder (default: the current folder)")
		.allowExcessArguments(false)
		.addOption(new Option("--list", "list trusted folders").conflicts("remove"))
		.addOption(new Option("--remove", "stop trusting the folder").conflicts("forget"))
		.addOption(new Option("--forget", 'forget your "always" answers for the folder').conflicts("list"))
		.option("--yes", "approve without asking; required if not run in a terminal")
		.addHelpText(
			"after",
			`
Examples:
  $ segue trust                       review and approve the settings in this folder
  $ segue trust --list
  $ segue trust --forget ~/src/app    ask for permission there again

Sensitive settings are those that start commands, set server addresses or grant permissions. Your
approval covers only their current values. If they change, you must approve them again.`,
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
	readonly stderr: Output;
	/** Asks the user to confirm; undefined outside a terminal. */
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
	const { UserError } = await import("@segue/agent/config/user-error");
	const { digestOf, splitByTrust, readTrust, realFolder, writeTrust } = await import("@segue/agent/config/trust");
	return reportUserErrors(stderr, async () => {
		const { trust: file } = userFilesOf(env);
		const trusted = new Map(readTrust(file));
		const root = realFolder(folder);
		if (options.list) {
			const lines: string[] = [];
			for (const [place, digest] of trusted) lines.push(`${sanitizeName(place)}${await noteFor(place, digest)}\n`);
			stdout.write(lines.length === 0 ? "No trusted folders.\n" : lines.join(""));
		} else if (options.remove) {
			const wasTrusted = trusted.delete(root);
			if (wasTrusted) writeTrust(file, trusted);
			stdout.write(`${sanitizeName(root)} ${wasTrusted ? "is no longer" : "was not"} trusted.\n`);
		} else if (options.forget) {
			const { openThreadStore } = await import("../terminal/open-store.js");
			const { store } = await openThreadStore(root, env);
			const wasAllowed = await store.forgetAllowances(root).finally(() => store.close());
			stdout.write(
				wasAllowed
					? `Segue will ask for permission again in ${sanitizeName(root)}.\n`
					: `Nothing is always allowed in ${sanitizeName(root)}.\n`,
			);
		} else {
			const project = await readProject(root);
			if (project === undefined)
				throw new UserError(`Nothing to trust: ${sanitizeName(projectFileOf(root))} not found.`);
			const digest = digestOf(project);
			if (digest === undefined) {
				stdout.write(`Nothing in ${sanitizeName(projectFileOf(root))} needs approval.\n`);
				return;
			}
			const lines = linesOf(splitByTrust(project).guarded, fieldName).map((line) => `  ${line}\n`);
			stdout.write(`These settings in ${sanitizeName(projectFileOf(root))} need your approval:\n${lines.join("")}`);
			if (!options.yes) {
				if (confirm === undefined) throw new UserError("Not a terminal: pass --yes to approve these settings.");
				if (!(await confirm("Do you trust these settings?"))) throw new UserError("Not trusted. Nothing was changed.");
			}
			writeTrust(file, trusted.set(root, digest));
			stdout.write(`Trusted until these settings change. To undo: segue trust --remove ${shellArgument(root)}\n`);
		}
	});
}

/** Returns a note about a folder whose file has changed since the user trusted it. */
async function noteFor(folder: string, digest: string): Promise<string> {
	const { UserError } = await import("@segue/agent/config/user-error");
	const { digestOf } = await import("@segue/agent/config/trust");
	try {
		const project = await readProject(folder);
		if (project === undefined) return "  (.segue.json is missing)";
		return digestOf(project) === digest ? "" : "  (changed, no longer trusted)";
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		return "  (.segue.json cannot be read)";
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

/** Prints values in full, so that users see what they trust. A project's file contains none of the user's secrets. */
function linesOf(value: unknown, fieldName: (path: JsonPath) => string, path: JsonPath = []): string[] {
	if (typeof value === "object" && value !== null && !isFlat(value)) {
		const isList = Array.isArray(value);
		return Object.entries(value).flatMap(([key, inner]) =>
			linesOf(inner, fieldName, [...path, isList ? Number(key) : key]),
		);
	}
	const [section, name, field] = path;
	// Headers affect only the server that receives them.
	if (field === "headers") return [`${fieldName(path)}: ${MASK}`];
	const isAddress = section === "providers" && field === "baseUrl";
	return [
		`${fieldName(path)}: ${sanitizeName(JSON.stringify(value))}${isAddress ? ` (receives your key for ${name})` : ""}`,
	];
}

/** Rules and argument lists are printed on one line. */
function isFlat(value: object): boolean {
	return Array.isArray(value) ? value.every((item) => typeof item === "string") : "answer" in value;
}
