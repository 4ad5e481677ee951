import { type Configuration, readConfiguration } from "@segue/agent/config/configuration";
import { maskAddress, withoutSecrets } from "@segue/agent/config/masking";
import type { Provider } from "@segue/agent/config/providers";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import { plain } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { roomIn } from "../terminal/screen.js";
import { wrap } from "../terminal/width.js";
import { type Surroundings, secretsOf } from "./show.js";

/** `segue models`: those that are configured, for chat and for next edits. */
export function listModelsHere(options: { readonly json?: boolean }, process: CommandProcess): void {
	process.exitCode = listModels(options, { folder: process.cwd(), env: process.env, stdout: process.stdout });
}

/** Gives the exit code: 1 where something is wrong with the configuration. */
export function listModels(
	{ json = false }: { readonly json?: boolean },
	{ folder, env, stdout }: Pick<Surroundings, "folder" | "env" | "stdout">,
): number {
	const view = viewOf(readConfiguration({ folder, env, flags: {} }));
	stdout.write(json ? `${JSON.stringify(view, undefined, 2)}\n` : print(view, roomIn(stdout)));
	return view.problems.length > 0 ? 1 : 0;
}

/** What is configured, as it may be shown to anybody. */
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
		/** Those that can be asked as they are. */
		providers: [...providers.values()].filter(isReady).map(({ name }) => name),
		warnings,
		problems,
	};
	return withoutSecrets(view, secretsOf(configuration));
}

function print(view: ReturnType<typeof viewOf>, columns: number): string {
	const { nextEdit, chat, isEmbedded, providers, warnings, problems } = view;
	const wrapped = (words: string) =>
		wrap(words, columns)
			.map((line) => `${line}\n`)
			.join("");
	const rules = { name: EMBEDDED, format: "rules", address: "this machine", key: "", why: null, isChosen: isEmbedded };
	return [
		table("Next edits", [rules, ...nextEdit], columns),
		table("Chat", chat, columns) || "Chat: no model is configured.\n",
		wrapped(`Any model can be named as PROVIDER/MODEL. Providers that need nothing more: ${providers.join(", ")}.`),
		...[...warnings, ...problems].map(wrapped),
		`${wrapped(CHOOSING)}Try it: segue doctor\n`,
	].join("\n");
}

const CHOOSING = "Choose one: SEGUE_NEXT_EDIT_MODEL and SEGUE_MODEL, or nextEdit.model and model in the configuration.";

/** What may be shown of a model. */
interface Listed {
	readonly name: string;
	readonly address: string | null;
	/** Where the key is from, and never the key. */
	readonly key: string;
	/** Why it cannot be asked. */
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
		return from === "login" ? "a key from segue login" : `a key from ${where}`;
	}
	if (provider === undefined) return "";
	if (provider.unsetVariable !== undefined) return `no key: ${plain(provider.unsetVariable)} is not set`;
	return provider.needsKey ? "no key" : "no key needed";
}

const REASON_MARGIN = "    ";

/** Rows with a mark at those that are chosen. What is wrong with one is below it. */
function table(
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
	const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
	const lines = rows.map(({ isChosen, why }, i) => {
		const row = (cells[i] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
		const below = why === null ? [] : wrap(why, columns - REASON_MARGIN.length);
		return [`${isChosen ? "*" : " "} ${row}`.trimEnd(), ...below.map((line) => REASON_MARGIN + line)].join("\n");
	});
	return `${heading} (* is chosen):\n${lines.join("\n")}\n`;
}
