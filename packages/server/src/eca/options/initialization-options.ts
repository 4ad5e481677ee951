import type { ApiKey } from "@segue/agent/config/api-keys";
import { fieldName } from "@segue/agent/config/json";
import { type ConfigurationFile, configurationFile } from "@segue/agent/config/keys";
import type { EditorConfiguration } from "@segue/agent/config/layer";
import { modelName } from "@segue/agent/config/schema";
import { readSessionSection } from "@segue/agent/config/session-settings";
import type { Mode } from "@segue/assist";
import { sanitizeName } from "@segue/text";
import { modeOf } from "../chat/chat-choices.js";
import { readApprovals } from "./approval-rules.js";
import { OptionReader } from "./option-reader.js";
import type { PlaceholderSources } from "./placeholders.js";
import { readProvider } from "./provider-options.js";

/** The editor's `initializationOptions`, converted to Segue's configuration. */
export interface InitializationOptions {
	readonly configuration: EditorConfiguration;
	/** Undefined if not configured. */
	readonly mode: Mode | undefined;
	/** The names of the models for completions and rewrites. */
	readonly writers: { readonly completion: string | undefined; readonly rewrite: string | undefined };
	/** The names of MCP servers that must not be started. */
	readonly disabledServers: readonly string[];
	/** Messages for the user about invalid or unsupported options. */
	readonly complaints: readonly string[];
}

const WHERE = "initializationOptions";

type Fields = ReturnType<OptionReader["fields"]>;

/**
 * Reads ECA's configuration, so users don't have to configure Segue separately. The configuration belongs to the user,
 * so it may contain keys and commands. Invalid options are reported and ignored; the others apply.
 */
export function readInitializationOptions(
	options: Readonly<Record<string, unknown>>,
	sources: PlaceholderSources,
): InitializationOptions {
	const reader = new OptionReader(sources);
	const fields = reader.fields([], options);
	const chat = reader.fields(["chat"], fields["chat"]);
	const toolCall = reader.fields(["toolCall"], fields["toolCall"]);
	const { providers, keys, aliases } = readProviders(fields["providers"], reader);
	const model = (path: readonly string[], value: unknown) => {
		const text = reader.text(path, value);
		if (text === undefined) return undefined;
		const { data, error } = modelName.safeParse(aliases.get(text) ?? text);
		if (error !== undefined) reader.complain(path, `${error.issues[0]?.message}; ignored.`);
		return data;
	};
	const { mcpServers, disabledServers } = readServers(fields["mcpServers"], reader);
	const usual = model(["defaultModel"], fields["defaultModel"]);
	const { section, problems } = readSessionSection(reader.fields(["nextEdit"], fields["nextEdit"]));
	for (const problem of problems) reader.complain(["nextEdit"], problem);
	const value: ConfigurationFile = {
		...(usual !== undefined && { model: usual }),
		providers,
		approvals: readApprovals(toolCall["approval"], fields["disabledTools"], reader),
		mcpServers,
		...(Object.keys(section).length > 0 && { nextEdit: section }),
	};
	const completion = reader.fields(["completion"], fields["completion"]);
	const rewrite = reader.fields(["rewrite"], fields["rewrite"]);
	const read = {
		configuration: { value, firstModel: firstModelOf(providers, keys, sources), keys, where: WHERE },
		mode: readMode(fields, chat, reader),
		writers: {
			completion: model(["completion", "model"], completion["model"]),
			rewrite: model(["rewrite", "model"], rewrite["model"]),
		},
		disabledServers,
	};
	complainOfRest(fields, chat, toolCall, reader);
	return { ...read, complaints: reader.complaints.map((complaint) => `${WHERE}.${complaint}`) };
}

function readProviders(value: unknown, reader: OptionReader) {
	const providers: NonNullable<ConfigurationFile["providers"]> = {};
	const keys = new Map<string, ApiKey>();
	const aliases = new Map<string, string>();
	for (const [name, each] of reader.entries(["providers"], value)) {
		const read = readProvider(name, each, WHERE, reader);
		const entry = read && accepted("providers", name, read.entry, reader);
		if (read === undefined || entry === undefined) continue;
		providers[name] = entry;
		if (read.key !== undefined) keys.set(name, read.key);
		for (const [alias, id] of read.aliases) aliases.set(`${name}/${alias}`, `${name}/${id}`);
	}
	return { providers, keys, aliases };
}

/**
 * Returns the same default model as ECA: the first model whose provider has a key or, if there is none, the first
 * model.
 */
function firstModelOf(
	providers: NonNullable<ConfigurationFile["providers"]>,
	keys: ReadonlyMap<string, ApiKey>,
	{ env }: PlaceholderSources,
): string | undefined {
	const models = Object.entries(providers).flatMap(([name, { models = {}, keyEnv = "" }]) => {
		const hasKey = keys.has(name) || (env[keyEnv] ?? "") !== "";
		return Object.keys(models).map((id) => ({ name: `${name}/${id}`, hasKey }));
	});
	return (models.find(({ hasKey }) => hasKey) ?? models[0])?.name;
}

function readServers(value: unknown, reader: OptionReader) {
	const mcpServers: NonNullable<ConfigurationFile["mcpServers"]> = {};
	const disabledServers: string[] = [];
	for (const [name, each] of reader.entries(["mcpServers"], value)) {
		const path = ["mcpServers", name];
		const { command, args, env, url, headers, disabled, ...others } = reader.fields(path, each);
		for (const field of ["clientId", "clientSecret"]) {
			if (others[field] === undefined) continue;
			reader.complain([...path, field], "ignored: Segue signs in to MCP servers with headers.");
		}
		const texts = Array.isArray(args)
			? args.map((arg, i) => reader.text([...path, "args", String(i)], arg) ?? "")
			: args;
		const read = {
			command: reader.text([...path, "command"], command),
			args: texts,
			env: reader.texts([...path, "env"], env),
			url: reader.text([...path, "url"], url),
			headers: reader.texts([...path, "headers"], headers),
		};
		const defined = Object.fromEntries(Object.entries(read).filter(([, part]) => part !== undefined));
		const server = accepted("mcpServers", name, defined, reader);
		if (server === undefined) continue;
		mcpServers[name] = server;
		if (disabled === true) disabledServers.push(name);
	}
	return { mcpServers, disabledServers };
}

/** Validates a named entry against the schema of our configuration file. */
function accepted<Field extends "providers" | "mcpServers">(
	field: Field,
	name: string,
	value: unknown,
	reader: OptionReader,
) {
	const { data, error } = configurationFile.safeParse({ [field]: { [name]: value } });
	if (data !== undefined) return data[field]?.[name] as NonNullable<ConfigurationFile[Field]>[string];
	for (const { path, message } of error.issues) {
		const part = path
			.slice(2)
			.map((step) => (typeof step === "number" ? step : (ECA_NAMES[String(step)] ?? String(step))));
		const subject = part.length === 0 ? "" : `${fieldName(part)} `;
		reader.complain([field, name], `${subject}${message}; the entry is ignored.`);
	}
	return undefined;
}

/** ECA's names for our fields. */
const ECA_NAMES: Readonly<Record<string, string>> = {
	baseUrl: "url",
	headers: "extraHeaders",
	windowTokens: "limit.context",
	images: "imageInput",
};

function readMode(fields: Fields, chat: Fields, reader: OptionReader): Mode | undefined {
	const options: readonly (readonly [readonly string[], unknown])[] = [
		[["chatAgent"], fields["chatAgent"]],
		[["chatBehavior"], fields["chatBehavior"]],
		[["chat", "defaultAgent"], chat["defaultAgent"]],
		[["chat", "defaultBehavior"], chat["defaultBehavior"]],
		[["defaultAgent"], fields["defaultAgent"]],
		[["defaultBehavior"], fields["defaultBehavior"]],
	];
	for (const [path, value] of options) {
		const name = reader.text(path, value);
		if (name === undefined) continue;
		const mode = modeOf(name);
		if (mode === undefined) reader.complain(path, `unknown agent ${sanitizeName(name)}; must be code, plan or ask.`);
		return mode;
	}
	return undefined;
}

/** Reports unsupported features that users may rely on. Options that only tune ECA, such as timeouts, are ignored. */
function complainOfRest(fields: Fields, chat: Fields, toolCall: Fields, reader: OptionReader): void {
	for (const [field, why] of Object.entries(REST)) {
		if (!isEmpty(fields[field])) reader.complain([field], why);
	}
	if (chat["defaultTrust"] === true) {
		reader.complain(["chat", "defaultTrust"], "ignored: turn on trust in each chat instead.");
	}
	if (!isEmpty(toolCall["manualApproval"])) {
		reader.complain(["toolCall", "manualApproval"], "ignored: use toolCall.approval instead.");
	}
	const { enabled } = reader.fields(["remote"], fields["remote"]);
	if (enabled === true) reader.complain(["remote"], "not supported: Segue does not serve chats to browsers.");
}

const REST: Readonly<Record<string, string>> = {
	agent: "custom agents are not supported. Use code, plan or ask.",
	behavior: "custom agents are not supported. Use code, plan or ask.",
	commands: "custom commands are not supported.",
	customTools: "custom tools are not supported. Use an MCP server instead.",
	extraConfigs: "ECA's configuration files are not read. Put their options in the editor's settings.",
	hooks: "hooks are not supported.",
	network: "certificates are not supported here. Set NODE_EXTRA_CA_CERTS to the path of your CA certificate.",
	plugins: "plugins are not supported.",
	prompts: "custom prompts are not supported. Put your instructions in AGENTS.md.",
	rules: "rules are not supported. Put them in AGENTS.md.",
	skills: "skills are not supported.",
};

function isEmpty(value: unknown): boolean {
	return (
		value === undefined ||
		value === false ||
		(typeof value === "object" && value !== null && Object.keys(value).length === 0)
	);
}
