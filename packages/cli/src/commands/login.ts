import type { Readable } from "node:stream";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import { reportUserErrors } from "../terminal/message.js";
import { correctWidth, type Output, paragraph } from "../terminal/width.js";

export function addLogin(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("login")
		.description("Store an API key for a model provider.")
		.argument("[provider]", "the provider's name, such as anthropic; omit it to list all providers")
		.allowExcessArguments(false)
		.addHelpText(
			"after",
			`
Examples:
  $ segue login anthropic                           type or paste the key
  $ pass show anthropic | segue login anthropic     read it from standard input`,
		)
		.action(async (provider: string | undefined) => {
			process.exitCode = await logIn(provider, contextOf(process));
		});
}

export function addLogout(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("logout")
		.description("Delete the API key that segue login stored for a provider.")
		.argument("<provider>", "provider whose key should be deleted")
		.allowExcessArguments(false)
		.addHelpText("after", "\nExample:\n  $ segue logout anthropic")
		.action(async (provider: string) => {
			process.exitCode = await logOut(provider, contextOf(process));
		});
}

/** Prompts for a provider's key without echoing it, and stores the key. */
export async function runLogin(provider: string, process: CommandProcess): Promise<void> {
	process.exitCode = await logIn(provider, contextOf(process));
}

/** The parts of the process that both commands use. */
interface LoginContext {
	readonly folder: string;
	readonly env: EnvironmentVariables;
	/** Returns the key, or undefined if the user cancels. */
	readonly ask: (question: string) => Promise<string | undefined>;
	readonly stdout: Output;
	readonly stderr: Output;
}

function contextOf({ stdin, stdout, stderr, env, cwd }: CommandProcess): LoginContext {
	const ask = (question: string) => (stdin.isTTY ? askInTerminal(question, { stdin, stderr }) : readPiped(stdin));
	return { folder: cwd(), env, ask, stdout, stderr };
}

/** Returns the exit code. */
export async function logIn(
	provider: string | undefined,
	{ folder, env, ask, stdout, stderr }: LoginContext,
): Promise<number> {
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const { keyObjection, storeKey } = await import("@segue/agent/config/api-keys");
	const { userFilesOf } = await import("@segue/agent/config/user-files");
	const { UserError } = await import("@segue/agent/config/user-error");
	return reportUserErrors(stderr, async () => {
		const { keys: file } = userFilesOf(env);
		const { providers, problems } = readConfiguration({ folder, env, flags: {} });
		if (provider === undefined) {
			const names = [...providers.keys()].join(", ");
			throw new UserError(`Name a provider: \`segue login PROVIDER\`. Available: ${names}.`);
		}
		if (!providers.has(provider)) {
			const { nearest } = await import("@segue/assist/nearest");
			const meant = nearest(provider, providers.keys());
			const help = meant === undefined ? `Available: ${[...providers.keys()].join(", ")}.` : `Did you mean "${meant}"?`;
			throw new UserError([`Unknown provider "${sanitizeName(provider)}". ${help}`, ...problems].join("\n"));
		}
		const key = (await ask(`API key for ${provider}`))?.trim();
		if (key === undefined) throw new UserError("Cancelled. Nothing was stored.");
		const objection = keyObjection(key);
		if (objection !== undefined)
			throw new UserError(`${objection} Nothing was stored. Run this command again with the key.`);
		storeKey(file, provider, key);
		stdout.write(
			paragraph(`Stored the key for ${provider} in ${sanitizeName(file)}. Only you can read this file.`, stdout),
		);
		const origin = readConfiguration({ folder, env, flags: {} }).providers.get(provider)?.key?.origin;
		if (origin !== undefined && origin.from !== "login") {
			const first = sanitizeName(origin.where ?? "");
			stdout.write(paragraph(`The key in ${first} takes precedence. Unset ${first} to use the stored key.`, stdout));
		}
	});
}

/** Returns the exit code. */
export async function logOut(provider: string, { env, stdout, stderr }: LoginContext): Promise<number> {
	const { forgetKey } = await import("@segue/agent/config/api-keys");
	const { userFilesOf } = await import("@segue/agent/config/user-files");
	return reportUserErrors(stderr, () => {
		const { keys: file } = userFilesOf(env);
		const name = sanitizeName(provider);
		const isDeleted = forgetKey(file, provider);
		stdout.write(`${isDeleted ? "Deleted the" : "No"} key for ${name} in ${sanitizeName(file)}.\n`);
	});
}

async function askInTerminal(
	question: string,
	{ stdin: input, stderr: output }: Pick<CommandProcess, "stdin" | "stderr">,
): Promise<string | undefined> {
	const { isCancel, password } = await import("@clack/prompts");
	correctWidth(output);
	// Uses standard error, because standard output may be redirected to a file. Echoes nothing, not even a dot per character.
	const answer = await password({
		message: `${question} (input is hidden)`,
		mask: "",
		...{ input, output },
	});
	return isCancel(answer) ? undefined : answer;
}

/** Longer than any key. Limits the input if the user pipes in a file by mistake. */
const PIPED_LENGTH_MAX = 65_536;

async function readPiped(stdin: Readable): Promise<string> {
	let text = "";
	for await (const chunk of stdin.setEncoding("utf8")) {
		text += chunk;
		if (text.length > PIPED_LENGTH_MAX) break;
	}
	return text;
}
