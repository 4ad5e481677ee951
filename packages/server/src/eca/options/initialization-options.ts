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

/** What an editor of ECA says in `initializationOptions`, in words of ours. */
export interface InitializationOptions {
	readonly configuration: EditorConfiguration;
	/** Undefined where it is not said. */
	readonly mode: Mode | undefined;
	/** The names of the models that complete and rewrite. */
	readonly writers: { readonly completion: string | undefined; readonly rewrite: string | undefined };
	/** By name, the MCP servers that are not to be started. */
	readonly disabledServers: readonly string[];
	/** Sentences for the user about what of it does not hold. */
	readonly complaints: readonly string[];
}

const WHERE = "initializationOptions";

type Fields = ReturnType<OptionReader["fields"]>;

/**
 * ECA's own configuration, so that it need not be written again. It is the user's, and so may hold keys and commands. What is
 * wrong with it is told, and the rest holds.
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
		if (error !== undefined) reader.complain(path, `it ${error.issues[0]?.message}, and does not hold.`);
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

/** ECA takes a model of its own accord, too: of a provider that it has a key for, before one that may need none. */
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
			reader.complain([...path, field], "it does not hold: a server is signed in to with its headers here.");
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
		const said = Object.fromEntries(Object.entries(read).filter(([, part]) => part !== undefined));
		const server = accepted("mcpServers", name, said, reader);
		if (server === undefined) continue;
		mcpServers[name] = server;
		if (disabled === true) disabledServers.push(name);
	}
	return { mcpServers, disabledServers };
}

/** Something that has a name, as far as a file of ours could hold it. */
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
			.map((step) => (typeof step === "number" ? step : (ECA_WORDS[String(step)] ?? String(step))));
		const subject = part.length === 0 ? "it" : fieldName(part);
		reader.complain([field, name], `${subject} ${message}, so it does not hold.`);
	}
	return undefined;
}

/** What ECA calls a field of ours. */
const ECA_WORDS: Readonly<Record<string, string>> = {
	baseUrl: "url",
	headers: "extraHeaders",
	windowTokens: "limit.context",
	images: "imageInput",
};

function readMode(fields: Fields, chat: Fields, reader: OptionReader): Mode | undefined {
	const said: readonly (readonly [readonly string[], unknown])[] = [
		[["chatAgent"], fields["chatAgent"]],
		[["chatBehavior"], fields["chatBehavior"]],
		[["chat", "defaultAgent"], chat["defaultAgent"]],
		[["chat", "defaultBehavior"], chat["defaultBehavior"]],
		[["defaultAgent"], fields["defaultAgent"]],
		[["defaultBehavior"], fields["defaultBehavior"]],
	];
	for (const [path, value] of said) {
		const name = reader.text(path, value);
		if (name === undefined) continue;
		const mode = modeOf(name);
		if (mode === undefined)
			reader.complain(path, `there is no agent ${sanitizeName(name)} here: it is code, plan or ask.`);
		return mode;
	}
	return undefined;
}

/** What people rely on in ECA and goes without here. What only tunes ECA, as its limits of time do, is passed over. */
function complainOfRest(fields: Fields, chat: Fields, toolCall: Fields, reader: OptionReader): void {
	for (const [field, why] of Object.entries(REST)) {
		if (!isEmpty(fields[field])) reader.complain([field], why);
	}
	if (chat["defaultTrust"] === true) {
		reader.complain(["chat", "defaultTrust"], "it does not hold: switch trust on in the chats where you want it.");
	}
	if (!isEmpty(toolCall["manualApproval"])) {
		reader.complain(["toolCall", "manualApproval"], "it does not hold: write toolCall.approval instead.");
	}
	const { enabled } = reader.fields(["remote"], fields["remote"]);
	if (enabled === true) reader.complain(["remote"], "it does not hold: there is no server for a browser here.");
}

const REST: Readonly<Record<string, string>> = {
	agent: "agents of one's own do not hold: there are code, plan and ask.",
	behavior: "agents of one's own do not hold: there are code, plan and ask.",
	commands: "commands of one's own do not hold.",
	customTools: "tools of one's own do not hold: an MCP server can offer them.",
	extraConfigs: "files of ECA's configuration are not read: write what they hold into the editor's settings.",
	hooks: "hooks are not run.",
	network: "certificates do not hold: set NODE_EXTRA_CA_CERTS to the file of your certificate authority.",
	plugins: "plugins are not loaded.",
	prompts: "prompts of one's own do not hold: write what is to be known into AGENTS.md.",
	rules: "rules do not hold: write them into AGENTS.md.",
	skills: "skills do not hold.",
};

function isEmpty(value: unknown): boolean {
	return (
		value === undefined ||
		value === false ||
		(typeof value === "object" && value !== null && Object.keys(value).length === 0)
	);
}
