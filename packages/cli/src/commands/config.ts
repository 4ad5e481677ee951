import { existsSync } from "node:fs";
import type { Configuration } from "@segue/agent/config/configuration";
import type { Setting, SettingOrigin } from "@segue/agent/config/key-row";
import { maskAddress, maskArguments, redactSecrets, secretsAmong } from "@segue/agent/config/masking";
import type { Provider } from "@segue/agent/config/providers";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import type { McpServer } from "@segue/assist";
import { MASK, sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { writeMessage } from "../terminal/message.js";
import type { Allowances } from "../terminal/open-store.js";
import { columnsOf, hang, type Output, table } from "../terminal/width.js";

export function addConfig(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("config")
		.description("Show the configuration and where each value comes from.")
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Examples:
  $ segue config
  $ SEGUE_MODEL=ollama/qwen3 segue config

The output includes the settings in the current folder's .segue.json. API keys are never shown.
Problems are listed first, and the exit code is then 1. To change a setting, edit the file that is
listed as "user" at the end of the output.`,
		)
		.action(async (options: { json?: boolean }, command: Command) => {
			const { stdout, stderr, env } = process;
			if (command.args.length > 0) {
				const { userFilesOf } = await import("@segue/agent/config/user-files");
				const file = sanitizeName(userFilesOf(env).configuration);
				writeMessage(
					stderr,
					`\`segue config\` only shows the configuration. To change it, write JSON to ${file}, for example: ${EXAMPLE}`,
				);
				process.exitCode = 1;
				return;
			}
			const folder = process.cwd();
			process.exitCode = await showConfiguration(options, {
				...{ folder, env, stdout },
				isColoured: isColoured(stdout, env),
				allowances: async () => {
					const { readAllowances } = await import("../terminal/open-store.js");
					return readAllowances(folder, env);
				},
			});
		});
}

const EXAMPLE = '{ "model": "ollama/qwen3", "nextEdit": { "eagerness": "high" } }';

/** The parts of the process that the command uses. */
export interface ConfigContext {
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly stdout: Output;
	readonly isColoured: boolean;
	/** Reads the permissions that the user granted with "always". */
	readonly allowances: () => Promise<Allowances>;
}

/** Returns the exit code: 1 if the configuration has problems. */
export async function showConfiguration(
	{ json = false }: { readonly json?: boolean },
	{ folder, env, stdout, isColoured, allowances }: ConfigContext,
): Promise<number> {
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const view = viewOf(readConfiguration({ folder, env, flags: {} }), await allowances());
	stdout.write(json ? `${JSON.stringify(view, undefined, 2)}\n` : print(view, paintFor(isColoured), columnsOf(stdout)));
	return view.problems.length > 0 ? 1 : 0;
}

/** The configuration without secrets. */
type View = ReturnType<typeof viewOf>;

function viewOf(configuration: Configuration, { allowances, problems }: Allowances) {
	const {
		model,
		nextEdit,
		effort,
		network,
		store,
		feedback,
		rules,
		mcpServers,
		agents,
		providers,
		userFiles: places,
		projectFile,
	} = configuration;
	const chosen = model === undefined ? undefined : configuration.models.choose(undefined);
	const editing = nextEdit.model.value === EMBEDDED ? undefined : configuration.editModels.choose(undefined);
	const unavailable = [chosen, editing].flatMap((one) => (one !== undefined && "why" in one ? [one.why] : []));
	const view = {
		model: model ?? null,
		nextEdit: { ...nextEdit, format: nextEdit.format ?? null },
		effort: effort ?? null,
		network,
		store: { value: "file" in store.value ? store.value.file : maskAddress(store.value.url), origin: store.origin },
		feedback,
		providers: [...providers.values()].map(viewOfProvider),
		approvals: rules,
		alwaysAllowed: allowances.map(({ workspace, permission }) => ({ folder: workspace, ...permission })),
		mcpServers: mcpServers.map(({ value, origin }) => ({ value: viewOfServer(value), origin })),
		agents: agents.map(({ value, origin }) => ({ value: { ...value, args: maskArguments(value.args) }, origin })),
		files: [
			{ what: "user", file: places.configuration },
			{ what: "workspace", file: projectFile },
			{ what: "keys", file: places.keys },
			{ what: "trust", file: places.trust },
			{ what: "database", file: places.database },
		].map((place) => ({ ...place, exists: existsSync(place.file) })),
		leftOut: configuration.leftOut,
		warnings: configuration.warnings,
		problems: [...configuration.problems, ...problems, ...new Set(unavailable)],
	};
	return redactSecrets(view, secretsOf(configuration));
}

function viewOfProvider({ name, type, api, baseUrl, headers, key, unsetVariable, needsKey, models }: Provider) {
	return {
		name,
		type: type ?? null,
		api,
		baseUrl: baseUrl === undefined ? null : { value: maskAddress(baseUrl.value), origin: baseUrl.origin },
		headers: headers === undefined ? null : { value: masked(headers.value), origin: headers.origin },
		key: key === undefined ? null : { origin: key.origin },
		unsetVariable: unsetVariable ?? null,
		needsKey,
		models: Object.fromEntries(models),
	};
}

function viewOfServer(server: McpServer) {
	return server.type === "stdio"
		? { ...server, args: maskArguments(server.args), env: masked(server.env) }
		: { ...server, url: maskAddress(server.url), headers: masked(server.headers) };
}

/** Masks every value, because a name doesn't reliably indicate whether its value is secret. */
function masked(values: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.keys(values).map((name) => [name, MASK]));
}

/** Returns the values to mask wherever they occur, even in fields that are printed. */
export function* secretsOf({ providers, mcpServers, store }: Configuration): Iterable<string> {
	for (const { key, headers } of providers.values()) {
		if (key !== undefined) yield key.reveal();
		yield* secretsAmong(headers?.value ?? {});
	}
	for (const { value } of mcpServers) yield* secretsAmong(value.type === "stdio" ? value.env : value.headers);
	if ("url" in store.value) yield new URL(store.value.url).password;
}

const INDENT = "  ";
const LABEL_CELLS = "chat effort  ".length;

function print(view: View, paint: Paint, columns: number): string {
	const { bold, dim } = paint;
	const from = (origin: SettingOrigin) => dim(wordsFor(origin));
	const setting = (one: Setting<unknown> | null) => {
		return one === null ? dim("not set") : `${sanitizeName(String(one.value))}  ${from(one.origin)}`;
	};
	const section = (title: string, lines: readonly string[]) => {
		return lines.length === 0 ? "" : `${bold(title)}\n${lines.map((line) => `${INDENT}${line}\n`).join("")}`;
	};
	const rows = (cells: readonly (readonly string[])[]) => table(cells, columns - INDENT.length).flat();
	const either = (one: Setting<boolean>, on: string, off: string) => setting({ ...one, value: one.value ? on : off });
	const engine = { ...view.nextEdit.model };
	if (engine.value === EMBEDDED) engine.value = "built-in engine: rules, without a model";
	const line = (label: string, value: string) => `${hang(label.padEnd(LABEL_CELLS), value, columns).join("\n")}\n`;
	const noChat = "not set: chat needs a model or another agent";
	const settings = [
		line("next edits", setting(engine)),
		...nextEditLines(view.nextEdit, setting),
		line("chat model", view.model === null ? dim(noChat) : setting(view.model)),
		line("chat effort", setting(view.effort)),
		line("network", either(view.network, "on: chat may fetch web pages", "off: chat cannot fetch web pages")),
		line("store", setting(view.store)),
		line(
			"statistics",
			either(view.feedback, "on: kept on this machine and never sent", 'off: "feedback" is false in the configuration'),
		),
	];
	return [
		...problemSections(view, columns, paint),
		settings.join(""),
		section("Providers", [
			...providerLines(view.providers, from, dim, columns - INDENT.length),
			dim("To add a key: segue login PROVIDER"),
		]),
		section(
			"Approvals",
			rows(
				view.approvals.map(({ value: { answer, kind, pattern }, origin }) => {
					return [answer, kind, sanitizeName(pattern), from(origin)];
				}),
			),
		),
		section("Always allowed", [
			...rows(
				view.alwaysAllowed.map(({ folder, kind, subject }) => [sanitizeName(folder), kind, sanitizeName(subject)]),
			),
			...(view.alwaysAllowed.length > 0 ? [dim("To forget these answers: segue trust --forget FOLDER")] : []),
		]),
		section(
			"MCP servers",
			rows(view.mcpServers.map(({ value, origin }) => [value.name, serverWords(value), from(origin)])),
		),
		section("Agents", rows(view.agents.map(({ value, origin }) => [value.name, commandWords(value), from(origin)]))),
		section(
			"Files",
			rows(
				view.files.map(({ what, file, exists }) => [what, `${sanitizeName(file)}${exists ? "" : dim("  (missing)")}`]),
			),
		),
	]
		.filter((part) => part !== "")
		.join("\n");
}

/** The problems and warnings of a configuration. Commands that print it start with them. */
export function problemSections(
	{ problems, warnings }: Pick<Configuration, "problems" | "warnings">,
	columns: number,
	{ bold, red, yellow }: Paint,
): string[] {
	const section = (title: string, sentences: readonly string[], colour: (text: string) => string) => {
		const lines = sentences.flatMap((words) => hang(INDENT, words, columns));
		return lines.length === 0 ? [] : [`${bold(title)}\n${lines.map((line) => `${colour(line)}\n`).join("")}`];
	};
	return [...section("Problems", problems, red), ...section("Warnings", warnings, yellow)];
}

/** Prints the next-edit settings that differ from their defaults. Each label is the key, split into words. */
function nextEditLines(
	{ model: _, ...settings }: View["nextEdit"],
	print: (one: Setting<unknown>) => string,
): string[] {
	const rows = Object.entries(settings).flatMap(([key, value]) => {
		const each: readonly (Setting<unknown> | null)[] = Array.isArray(value) ? value : [value];
		return each.flatMap((one) => {
			if (one === null || one.origin.from === "default") return [];
			return [{ label: key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), one }];
		});
	});
	const width = Math.max("tell verdicts".length, ...rows.map(({ label }) => label.length));
	return rows.map(({ label, one }) => `  ${label.padEnd(width)}  ${print({ ...one, value: wordsIn(one.value) })}\n`);
}

function wordsIn(value: unknown): unknown {
	if (typeof value === "boolean") return value ? "on" : "off";
	return Array.isArray(value) ? value.join(", ") : value;
}

function providerLines(
	providers: View["providers"],
	from: (origin: SettingOrigin) => string,
	dim: (text: string) => string,
	columns: number,
): string[] {
	const rows = table(
		providers.map(({ name, baseUrl, key, unsetVariable, needsKey }) => {
			const missing = needsKey ? "no key" : "no key needed";
			const without = unsetVariable === null ? missing : `no key: ${sanitizeName(unsetVariable)} is not set`;
			const address = baseUrl?.value ?? "no address: set SEGUE_BASE_URL";
			return [name, address, key === null ? dim(without) : `has a key ${from(key.origin)}`];
		}),
		columns,
	);
	return providers.flatMap((provider, i) => [
		...(rows[i] ?? []),
		...providerDetails(provider, from).map((detail) => `  ${detail}`),
	]);
}

/** The facts that differ from the defaults. */
function providerDetails(
	{ type, api, baseUrl, headers, models }: View["providers"][number],
	from: (origin: SettingOrigin) => string,
): string[] {
	const isConfigured = baseUrl !== null && baseUrl.origin.from !== "default";
	const modelLines = Object.entries(models).map(([id, { windowTokens, images, format }]) => {
		const facts = [windowTokens && `${windowTokens} tokens`, images && "images", format].filter(Boolean).join(", ");
		return `${sanitizeName(id)}${facts === "" ? "" : `  ${facts}`}`;
	});
	return [
		...(isConfigured ? [`address  ${from(baseUrl.origin)}`] : []),
		...(type === null ? ["next edits only"] : []),
		...(isConfigured && type !== null ? [`type ${type}, api ${api}`] : []),
		...(headers === null ? [] : [`headers ${pairs(headers.value)}  ${from(headers.origin)}`]),
		...modelLines,
	];
}

function wordsFor({ from, where }: SettingOrigin): string {
	if (where === undefined) return "(default)";
	return from === "login" ? `(from segue login, ${sanitizeName(where)})` : `(${sanitizeName(where)})`;
}

function serverWords(server: View["mcpServers"][number]["value"]): string {
	if (server.type === "http") return [server.url, pairs(server.headers)].filter(Boolean).join("  ");
	return [commandWords(server), pairs(server.env)].filter(Boolean).join("  ");
}

function commandWords({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
	return [command, ...args].map((word) => sanitizeName(/^\S+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

function pairs(values: Readonly<Record<string, string>>): string {
	return Object.entries(values)
		.map(([name, value]) => `${sanitizeName(name)}=${value}`)
		.join(" ");
}
