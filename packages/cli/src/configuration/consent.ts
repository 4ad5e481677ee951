import path from "node:path";
import { nameOf, type Path } from "@segue/agent/config/json";
import { readLayer } from "@segue/agent/config/layer";
import { MASK, quoted } from "@segue/agent/config/masking";
import { type Environment, placesOf, projectFileOf } from "@segue/agent/config/places";
import { Refusal, refusing } from "@segue/agent/config/refusal";
import type { ConfigurationFile } from "@segue/agent/config/shape";
import { digestOf, divide, readTrust, realFolder, writeTrust } from "@segue/agent/config/trust";
import { plain } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { confirmHere } from "../terminal/confirm.js";
import { openKept } from "../terminal/kept.js";

export interface TrustOptions {
	readonly list?: boolean;
	readonly remove?: boolean;
	readonly forget?: boolean;
	readonly yes?: boolean;
}

/** What giving trust needs of the process it is in. */
export interface Surroundings {
	readonly env: Environment;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	/** Asks the user for a yes; undefined outside a terminal. */
	readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** `segue trust [FOLDER]`: lets a project's file do what it may not without its user. */
export async function trustHere(
	folder: string | undefined,
	options: TrustOptions,
	process: CommandProcess,
): Promise<void> {
	const { env, stdout, stderr } = process;
	const confirm = confirmHere(process);
	process.exitCode = await trust(path.resolve(process.cwd(), folder ?? "."), options, { env, stdout, stderr, confirm });
}

/** Gives the exit code. */
export async function trust(
	folder: string,
	options: TrustOptions,
	{ env, stdout, stderr, confirm }: Surroundings,
): Promise<number> {
	return refusing(stderr, async () => {
		const { trust: file } = placesOf(env);
		const trusted = new Map(readTrust(file));
		const root = realFolder(folder);
		if (options.list) {
			const lines = [...trusted].map(([place, digest]) => `${plain(place)}${standingOf(place, digest)}\n`);
			stdout.write(lines.length === 0 ? "No folder is trusted.\n" : lines.join(""));
		} else if (options.remove) {
			const wasTrusted = trusted.delete(root);
			if (wasTrusted) writeTrust(file, trusted);
			stdout.write(`${plain(root)} ${wasTrusted ? "is no longer" : "was not"} trusted.\n`);
		} else if (options.forget) {
			const { store } = await openKept(root, env);
			const wasAllowed = await store.forgetAllowances(root).finally(() => store.close());
			const told = wasAllowed ? "What was always allowed in" : "Nothing was always allowed in";
			stdout.write(`${told} ${plain(root)}${wasAllowed ? " is asked for again" : ""}.\n`);
		} else {
			const project = readProject(root);
			if (project === undefined) throw new Refusal(`There is no ${plain(projectFileOf(root))} to trust.`);
			const digest = digestOf(project);
			if (digest === undefined) {
				stdout.write(`Nothing in ${plain(projectFileOf(root))} needs trust.\n`);
				return;
			}
			const lines = linesOf(divide(project).guarded).map((line) => `  ${line}\n`);
			stdout.write(`These settings in ${plain(projectFileOf(root))} need your approval:\n${lines.join("")}`);
			if (!options.yes) {
				if (confirm === undefined) throw new Refusal("Not a terminal: pass --yes to approve these settings.");
				if (!(await confirm("Do you trust them?"))) throw new Refusal("Not trusted. Nothing was changed.");
			}
			writeTrust(file, trusted.set(root, digest));
			stdout.write(`Trusted until the file changes. To undo: segue trust --remove ${quoted(root)}\n`);
		}
	});
}

/** What has become of what was trusted. */
function standingOf(folder: string, digest: string): string {
	try {
		const project = readProject(folder);
		if (project === undefined) return "  (its .segue.json is gone)";
		return digestOf(project) === digest ? "" : "  (changed since, so not trusted)";
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		return "  (its .segue.json cannot be read)";
	}
}

function readProject(folder: string): ConfigurationFile | undefined {
	const problems: string[] = [];
	const layer = readLayer("workspace", projectFileOf(folder), problems);
	if (problems.length > 0) throw new Refusal(problems.join("\n"));
	return layer?.value;
}

/**
 * Every value that is trusted, in full, for whoever trusts it has to see it. What a project's file says is no secret of the
 * user's.
 */
function linesOf(value: unknown, path: Path = []): string[] {
	if (typeof value === "object" && value !== null && !isFlat(value)) {
		const isList = Array.isArray(value);
		return Object.entries(value).flatMap(([key, held]) => linesOf(held, [...path, isList ? Number(key) : key]));
	}
	const [section, name, field] = path;
	// What only its receiver makes use of need not be on the screen.
	if (field === "headers") return [`${nameOf(path)}: ${MASK}`];
	const isAddress = section === "providers" && field === "baseUrl";
	return [`${nameOf(path)}: ${plain(JSON.stringify(value))}${isAddress ? ` (your key for ${name} goes there)` : ""}`];
}

/** A rule and a list of arguments are read best in one line. */
function isFlat(value: object): boolean {
	return Array.isArray(value) ? value.every((item) => typeof item === "string") : "answer" in value;
}
