import type { Readable, Writable } from "node:stream";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";

export function addLogin(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("login")
		.description("store the key for a provider of models; it is asked for, or read from standard input")
		.argument("<provider>", "anthropic, openai, openrouter, codestral, inception, or any other that segue models lists")
		.allowExcessArguments(false)
		.addHelpText("after", "\nExample:\n  $ segue login anthropic\n  $ pass show anthropic | segue login anthropic")
		.action(async (provider: string) => {
			await runLogin(provider, process);
		});
}

export function addLogout(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("logout")
		.description("forget the key that segue login has stored for a provider")
		.argument("<provider>", "as it was logged in to")
		.allowExcessArguments(false)
		.addHelpText("after", "\nExample:\n  $ segue logout anthropic")
		.action(async (provider: string) => {
			process.exitCode = await logOut(provider, surroundingsOf(process));
		});
}

/** Asks for a provider's key without showing it, and stores it. */
export async function runLogin(provider: string, process: CommandProcess): Promise<void> {
	process.exitCode = await logIn(provider, surroundingsOf(process));
}

/** The parts of the process that both commands use. */
interface LoginContext {
	readonly folder: string;
	readonly env: EnvironmentVariables;
	/** Returns the key, or undefined if the user cancels. */
	readonly ask: (question: string) => Promise<string | undefined>;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
}

function surroundingsOf({ stdin, stdout, stderr, env, cwd }: CommandProcess): LoginContext {
	const ask = (question: string) =>
		stdin.isTTY ? askPerson(question, { input: stdin, output: stderr }) : readPiped(stdin);
	return { folder: cwd(), env, ask, stdout, stderr };
}

/** Returns the exit code. */
export async function logIn(provider: string, { folder, env, ask, stdout, stderr }: LoginContext): Promise<number> {
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const { keyObjection, storeKey } = await import("@segue/agent/config/api-keys");
	const { userFilesOf } = await import("@segue/agent/config/user-files");
	const { UserError, reportUserErrors } = await import("@segue/agent/config/user-error");
	return reportUserErrors(stderr, async () => {
		const { keys: file } = userFilesOf(env);
		const { providers, problems } = readConfiguration({ folder, env, flags: {} });
		if (!providers.has(provider)) {
			const { nearest } = await import("@segue/assist/nearest");
			const meant = nearest(provider, providers.keys());
			const help =
				meant === undefined ? `Those that there are: ${[...providers.keys()].join(", ")}.` : `Did you mean ${meant}?`;
			throw new UserError([`There is no provider ${sanitizeName(provider)}. ${help}`, ...problems].join("\n"));
		}
		const key = (await ask(`The key for ${provider}`))?.trim();
		if (key === undefined) throw new UserError("Nothing was stored.");
		const objection = keyObjection(key);
		if (objection !== undefined) throw new UserError(`${objection} Nothing was stored. Run this again with the key.`);
		storeKey(file, provider, key);
		stdout.write(`The key for ${provider} is stored in ${sanitizeName(file)}, which only you can read.\n`);
		const origin = readConfiguration({ folder, env, flags: {} }).providers.get(provider)?.key?.origin;
		if (origin !== undefined && origin.from !== "login") {
			const first = sanitizeName(origin.where ?? "");
			stdout.write(`It is not used yet: the key in ${first} counts before it. Unset ${first} to use this one.\n`);
		}
	});
}

/** Returns the exit code. */
export async function logOut(provider: string, { env, stdout, stderr }: LoginContext): Promise<number> {
	const { forgetKey } = await import("@segue/agent/config/api-keys");
	const { userFilesOf } = await import("@segue/agent/config/user-files");
	const { reportUserErrors } = await import("@segue/agent/config/user-error");
	return reportUserErrors(stderr, () => {
		const { keys: file } = userFilesOf(env);
		const told = forgetKey(file, provider) ? "is no longer" : "was not";
		stdout.write(`The key for ${sanitizeName(provider)} ${told} stored in ${sanitizeName(file)}.\n`);
	});
}

async function askPerson(
	question: string,
	terminal: { readonly input: Readable; readonly output: Writable },
): Promise<string | undefined> {
	const { isCancel, password } = await import("@clack/prompts");
	// Uses standard error, because standard output may be redirected to a file. Echoes nothing, not even a dot per character.
	const answer = await password({ message: `${question} (it is not shown)`, mask: "", ...terminal });
	return isCancel(answer) ? undefined : answer;
}

/** Longer than any key. Keeps a file piped in by mistake from being read to its end. */
const PIPED_LENGTH_MAX = 65_536;

async function readPiped(stdin: Readable): Promise<string> {
	let text = "";
	for await (const chunk of stdin.setEncoding("utf8")) {
		text += chunk;
		if (text.length > PIPED_LENGTH_MAX) break;
	}
	return text;
}
