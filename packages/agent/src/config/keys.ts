import * as z from "zod";
import { EMBEDDED } from "../next-edit/settings.js";
import { free, freeIf, guarded, guardedEntries, type KeyRow, must, splitByRow, type TrustSplit } from "./key-row.js";
import {
	agent,
	effort,
	format,
	mcpServer,
	modelName,
	named,
	nextEditModel,
	provider,
	rules,
	sectionSchema,
	store,
} from "./schema.js";
import { SESSION_KEYS } from "./session-settings.js";

// Each configuration key is one row here, or in `SESSION_KEYS` for a session setting. The file's schema, the trust
// rules for projects, the values of `Configuration` and the documentation check are derived from the rows.

/** The keys of the section `nextEdit` that select and configure the model. */
export const EDIT_MODEL_KEYS = {
	model: {
		schema: nextEditModel,
		default: EMBEDDED,
		layers: "last",
		trust: guarded,
		help: "`PROVIDER/MODEL`, or `embedded`",
		project: "needs trust",
	},
	format: {
		schema: format,
		default: undefined,
		layers: "last",
		trust: guarded,
		help: "the prompt format of the model",
		project: "needs trust",
	},
	speculate: {
		schema: z.boolean(must("true or false")),
		default: false,
		layers: "last",
		trust: guarded,
		help: "`true`: also request the suggestion that follows the current one, before you accept it",
		project: "needs trust",
	},
	tellVerdicts: {
		schema: z.boolean(must("true or false")),
		default: false,
		layers: "last",
		trust: guarded,
		help: "`true`: tell the provider which of its suggestions you accepted",
		project: "needs trust",
	},
} as const satisfies Readonly<Record<string, KeyRow>>;

const providers = named(provider, "providers");
const nextEdit = sectionSchema(optional({ ...SESSION_KEYS, ...EDIT_MODEL_KEYS }));

/** The top-level keys of a configuration file, the user's or a project's. */
export const KEYS = {
	model: {
		schema: modelName,
		default: undefined,
		layers: "last",
		trust: free,
		help: "`PROVIDER/MODEL`",
		project: "applies",
	},
	effort: {
		schema: effort,
		default: undefined,
		layers: "last",
		trust: free,
		help: "reasoning effort: `low`, `medium`, `high`",
		project: "applies",
	},
	nextEdit: {
		schema: nextEdit,
		default: undefined,
		layers: "own",
		trust: splitNextEdit,
		help: "[which model writes next edits](#models-for-next-edits): `model`, `format`, `speculate`, `tellVerdicts`",
		project: "needs trust",
	},
	providers: {
		schema: providers,
		default: undefined,
		layers: "own",
		trust: splitProviders,
		help: "`type`, `api`, `baseUrl` including the version, `keyEnv`, `headers`",
		project: "needs trust",
	},
	approvals: {
		schema: rules,
		default: undefined,
		layers: "own",
		trust: splitApprovals,
		help: "rules with `kind` (`read-ignored`, `edit`, `delete`, `command`, `network`, `mcp`), `pattern` and `answer`; at most 1,000 rules with 100,000 characters of patterns",
		project: "`ask` and `deny` apply, `allow` needs trust",
	},
	network: {
		schema: z.boolean(must("true or false")),
		default: false,
		layers: "last",
		trust: freeIf(false),
		help: "`true`: allow fetching web pages",
		project: "`false` applies, `true` needs trust",
	},
	mcpServers: {
		schema: named(mcpServer, "MCP servers"),
		default: undefined,
		layers: "own",
		trust: guardedEntries,
		help: "`command`, `args` and `env`, or `url` and `headers`",
		project: "needs trust",
	},
	agents: {
		schema: named(agent, "agents"),
		default: undefined,
		layers: "own",
		trust: guardedEntries,
		help: "`command` and `args`",
		project: "needs trust",
	},
	store: {
		schema: store,
		default: undefined,
		layers: "last",
		trust: guarded,
		help: "a PostgreSQL database to use instead of the file `segue.db`",
		project: "needs trust",
	},
	feedback: {
		schema: z.boolean(must("true or false")),
		default: true,
		layers: "last",
		trust: freeIf(false),
		help: "`false`: keep no [statistics about suggestions](debugging.md#acceptance-statistics) on this machine",
		project: "`false` applies, `true` needs trust",
	},
} as const satisfies Readonly<Record<string, KeyRow>>;

export const configurationFile = sectionSchema(optional(KEYS));

export type ConfigurationFile = z.infer<typeof configurationFile>;

type Optional<Rows extends Readonly<Record<string, KeyRow>>> = {
	[Key in keyof Rows]: z.ZodOptional<Rows[Key]["schema"]>;
};

function optional<Rows extends Readonly<Record<string, KeyRow>>>(rows: Rows): Optional<Rows> {
	return Object.fromEntries(
		Object.entries(rows).map(([key, { schema }]) => [key, schema.optional()]),
	) as Optional<Rows>;
}

type NextEditSection = z.output<typeof nextEdit>;

/** Splits the section according to the rows of its keys. Values that can only reduce suggestions need no trust. */
function splitNextEdit(section: NextEditSection, name: string): TrustSplit<NextEditSection> {
	const rows = { ...SESSION_KEYS, ...EDIT_MODEL_KEYS };
	const entries = Object.entries(section);
	const isFree = ([key, value]: [string, unknown]) => splitByRow(rows, key, value).guarded === undefined;
	const guarded = entries.filter((entry) => !isFree(entry));
	return {
		...(guarded.length < entries.length && { free: Object.fromEntries(entries.filter(isFree)) }),
		...(guarded.length > 0 && { guarded: Object.fromEntries(guarded), fields: guarded.map(([key]) => [name, key]) }),
	};
}

type Providers = z.output<typeof providers>;

/** Facts about models need no trust. URLs, headers and the source of keys need trust. */
function splitProviders(providers: Providers, key: string): TrustSplit<Providers> {
	const facts: Providers = {};
	const endpoints: Providers = {};
	for (const [name, { models, ...endpoint }] of Object.entries(providers)) {
		if (models !== undefined) facts[name] = { models };
		if (Object.keys(endpoint).length > 0) endpoints[name] = endpoint;
	}
	const fields = Object.entries(endpoints).flatMap(([name, endpoint]) => {
		return Object.keys(endpoint).map((part) => [key, name, part]);
	});
	return { free: facts, ...(fields.length > 0 && { guarded: endpoints, fields }) };
}

type Rules = z.output<typeof rules>;

/**
 * Without trust, a project may only be stricter than its user. If it also allows something, all of its rules need trust
 * together, because its `ask` and `deny` rules limit its `allow` rules.
 */
function splitApprovals(approvals: Rules, key: string): TrustSplit<Rules> {
	const allowing = approvals.flatMap(({ answer }, i) => (answer === "allow" ? [[key, i]] : []));
	return {
		free: approvals.filter(({ answer }) => answer !== "allow"),
		...(allowing.length > 0 && { guarded: approvals, fields: allowing }),
	};
}
