import type { Configuration } from "@segue/agent/config/configuration";
import { maskAddress, redactSecrets } from "@segue/agent/config/masking";
import type { Provider } from "@segue/agent/config/providers";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import { paintFor } from "../terminal/colour.js";
import { columnsOf, hang, paragraph, table } from "../terminal/width.js";
import { type ConfigContext, problemSections, secretsOf } from "./config.js";

export function addModels(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("models")
		.description("List the configured models for next edits and chat.")
		.allowExcessArguments(false)
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Examples:
  $ segue models
  $ SEGUE_NEXT_EDIT_MODEL=ollama/qwen2.5-coder:7b segue models

The list shows each model's address, prompt format and key source, but never the key itself.
No server is contacted. To test the chosen models, run segue doctor.`,
		)
		.action(async (options: { json?: boolean }) => {
			const { env, stdout } = process;
			process.exitCode = await printModels(options, { folder: process.cwd(), env, stdout });
		});
}

/** Returns the exit code: 1 if the configuration has problems. */
export async function printModels(
	{ json = false }: { readonly json?: boolean },
	{ folder, env, stdout }: Pick<ConfigContext, "folder" | "env" | "stdout">,
): Promise<number> {
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const view = viewOf(readConfiguration({ folder, env, flags: {} }));
	stdout.write(json ? `${JSON.stringify(view, undefined, 2)}\n` : print(view, columnsOf(stdout)));
	return view.problems.length > 0 ? 1 : 0;
}

/** The configured models, without secrets. */
function viewOf(configuration: Configuration) {
	const { model, nextEdit, models, editModels, providers, warnings, problems } = configuration;
	const isReady = ({ key, needsKey, baseUrl }: Provider) => baseUrl !== undefined && (key !== undefined || !needsKey);
	const view = {
		nextEdit: editModels.names.map((name) => {
			const settings = editModels.choose(name);
			const format = editModels.formatOf(name) ?? null;
			return { ...listed(name, configuration, settings), format, isChosen: name === nextEdit.model.value };
		}),
		chat: models.names.map((name) => {
			return { ...listed(name, configuration, models.choose(name)), isChosen: name === model?.value };
		}),
		isEmbedded: nextEdit.model.value === EMBEDDED,
		/** Providers that need no more configuration. */
		providers: [...providers.values()].filter(isReady).map(({ name }) => name),
		warnings,
		problems,
	};
	return redactSecrets(view, secretsOf(configuration));
}

function print(view: ReturnType<typeof viewOf>, columns: number): string {
	const { nextEdit, chat, isEmbedded, providers } = view;
	const wrapped = (words: string) => paragraph(words, { columns });
	const rules = {
		name: "built-in engine",
		format: "–",
		address: "rules on this machine",
		key: "no key needed",
		why: null,
		isChosen: isEmbedded,
	};
	return [
		...problemSections(view, columns, paintFor(false)),
		modelTable("Next edits", [rules, ...nextEdit], columns),
		modelTable("Chat", chat, columns) || "Chat: no model is configured.\n",
		wrapped(`You can use any model as PROVIDER/MODEL. Providers ready to use: ${providers.join(", ")}.`),
		`${wrapped(CHOOSING)}To test it: segue doctor\n`,
	].join("\n");
}

const CHOOSING = `To choose a model, set SEGUE_NEXT_EDIT_MODEL or SEGUE_MODEL, or nextEdit.model or model in the configuration. For next edits, the value "${EMBEDDED}" chooses the built-in engine.`;

/** One model in the list. */
interface Listed {
	readonly name: string;
	readonly address: string | null;
	/** Where the key comes from, never the key itself. */
	readonly key: string;
	/** Why the model is unavailable. */
	readonly why: string | null;
}

function listed(name: string, { providers }: Configuration, settings: object | { readonly why: string }): Listed {
	const provider = providers.get(name.slice(0, name.indexOf("/")));
	const address = provider?.baseUrl === undefined ? null : maskAddress(provider.baseUrl.value);
	return { name, address, key: keyWords(provider), why: "why" in settings ? settings.why : null };
}

function keyWords(provider: Provider | undefined): string {
	if (provider?.key !== undefined) {
		const { from, where } = provider.key.origin;
		return from === "login" ? "key from segue login" : `key from ${where}`;
	}
	if (provider === undefined) return "";
	if (provider.unsetVariable !== undefined) return `no key: ${sanitizeName(provider.unsetVariable)} is not set`;
	return provider.needsKey ? "no key" : "no key needed";
}

// The mark of the chosen model, and a space.
const ROW_MARGIN = 2;

/** Prints a table in which the chosen rows are marked. The reason for an unavailable model is below its row. */
function modelTable(
	heading: string,
	rows: readonly (Listed & { isChosen: boolean; format?: string | null })[],
	columns: number,
): string {
	if (rows.length === 0) return "";
	const cells = rows.map(({ name, format, address, key }) => [
		name,
		...(format === undefined ? [] : [format ?? "–"]),
		address ?? "no address",
		key,
	]);
	const shown = table(cells, columns - ROW_MARGIN);
	const lines = rows.flatMap(({ isChosen, why }, i) => {
		const row = (shown[i] ?? []).map((line, n) => `${isChosen && n === 0 ? "*" : " "} ${line}`);
		return [...row, ...(why === null ? [] : hang("    ", why, columns))];
	});
	return `${heading} (* marks the chosen model):\n${lines.join("\n")}\n`;
}
