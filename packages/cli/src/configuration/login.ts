import type { Readable, Writable } from "node:stream";
import { readConfiguration } from "@segue/agent/config/configuration";
import { forgetKey, objectionTo, storeKey } from "@segue/agent/config/keys";
import { type Environment, placesOf } from "@segue/agent/config/places";
import { Refusal, refusing } from "@segue/agent/config/refusal";
import { nearest } from "@segue/assist/nearest";
import { plain } from "@segue/text";
import type { CommandProcess } from "../command-line.js";

/** What logging in needs of the process it is in. */
export interface Surroundings {
	readonly folder: string;
	readonly env: Environment;
	/** The key, or undefined where the person would not say it. */
	readonly ask: (question: string) => Promise<string | undefined>;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
}

/** `segue login PROVIDER`: asks for a key without showing it, and stores it. */
export async function logInHere(provider: string, process: CommandProcess): Promise<void> {
	process.exitCode = await logIn(provider, surroundingsOf(process));
}

/** `segue logout PROVIDER`: forgets the key that `segue login` has stored. */
export async function logOutHere(provider: string, process: CommandProcess): Promise<void> {
	process.exitCode = await logOut(provider, surroundingsOf(process));
}

function surroundingsOf({ stdin, stdout, stderr, env, cwd }: CommandProcess): Surroundings {
	const ask = (question: string) =>
		stdin.isTTY ? askPerson(question, { input: stdin, output: stderr }) : readPiped(stdin);
	return { folder: cwd(), env, ask, stdout, stderr };
}

/** Gives the exit code. */
export async function logIn(provider: string, { folder, env, ask, stdout, stderr }: Surroundings): Promise<number> {
	return refusing(stderr, async () => {
		const { keys: file } = placesOf(env);
		const { providers, problems } = readConfiguration({ folder, env, flags: {} });
		if (!providers.has(provider)) {
			const meant = nearest(provider, providers.keys());
			const help =
				meant === undefined ? `Those that there are: ${[...providers.keys()].join(", ")}.` : `Did you mean ${meant}?`;
			throw new Refusal([`There is no provider ${plain(provider)}. ${help}`, ...problems].join("\n"));
		}
		const key = (await ask(`The key for ${provider}`))?.trim();
		if (key === undefined) throw new Refusal("Nothing was stored.");
		const objection = objectionTo(key);
		if (objection !== undefined) throw new Refusal(`${objection} Nothing was stored. Run this again with the key.`);
		storeKey(file, provider, key);
		stdout.write(`The key for ${provider} is stored in ${plain(file)}, which only you can read.\n`);
		const origin = readConfiguration({ folder, env, flags: {} }).providers.get(provider)?.key?.origin;
		if (origin !== undefined && origin.from !== "login") {
			const first = plain(origin.where ?? "");
			stdout.write(`It is not used yet: the key in ${first} counts before it. Unset ${first} to use this one.\n`);
		}
	});
}

/** Gives the exit code. */
export async function logOut(provider: string, { env, stdout, stderr }: Surroundings): Promise<number> {
	return refusing(stderr, () => {
		const { keys: file } = placesOf(env);
		const told = forgetKey(file, provider) ? "is no longer" : "was not";
		stdout.write(`The key for ${plain(provider)} ${told} stored in ${plain(file)}.\n`);
	});
}

async function askPerson(
	question: string,
	terminal: { readonly input: Readable; readonly output: Writable },
): Promise<string | undefined> {
	const { isCancel, password } = await import("@clack/prompts");
	// On standard error, because standard output may go into a file; and with nothing for a character, not even a dot.
	const answer = await password({ message: `${question} (it is not shown)`, mask: "", ...terminal });
	return isCancel(answer) ? undefined : answer;
}

/** More than any key. What is piped in by mistake is not read to its end. */
const PIPED_LENGTH_MAX = 65_536;

/** All that is piped in. */
async function readPiped(stdin: Readable): Promise<string> {
	let text = "";
	for await (const chunk of stdin.setEncoding("utf8")) {
		text += chunk;
		if (text.length > PIPED_LENGTH_MAX) break;
	}
	return text;
}
