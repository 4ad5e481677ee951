import type { PermissionKind } from "@segue/assist";
import { nearest } from "@segue/assist/nearest";
import type { Api, Effort } from "@segue/models";
import { FORMAT_NAMES } from "@segue/models/choice";
import * as z from "zod";
import { EMBEDDED } from "../next-edit/settings.js";
import { must } from "./key-row.js";
import { namesSecret } from "./masking.js";

const EFFORTS = ["low", "medium", "high"] as const satisfies readonly Effort[];

/** What servers of models speak, for next edits. */
const APIS = [
	"openai",
	"anthropic",
	"ollama",
	"llamacpp",
	"mistral",
	"inception",
	"sweep",
] as const satisfies readonly Api[];

export const PERMISSION_KINDS = [
	"read-ignored",
	"edit",
	"delete",
	"command",
	"network",
	"mcp",
] as const satisfies readonly PermissionKind[];

/** Longer ones are no names that a person gives, and would fill the screen where they are listed. */
const NAME_LENGTH_MAX = 64;

/** No window is larger by far; more is a slip. */
const WINDOW_TOKENS_MAX = 100_000_000;

const name = z.string().regex(new RegExp(`^[A-Za-z0-9][\\w.-]{0,${NAME_LENGTH_MAX - 1}}$`));

/** A provider's name, a slash, and the model's name there, which may have slashes of its own. */
export const modelName = z
	.string(must("PROVIDER/MODEL, as anthropic/claude-sonnet-4-5"))
	.regex(/^[A-Za-z0-9][\w.-]{0,63}\/[!-~]{1,200}$/, must("PROVIDER/MODEL, as anthropic/claude-sonnet-4-5"));

/** What predicts next edits: a model, or the engine that is built in. */
export const nextEditModel = z
	.string(must(`PROVIDER/MODEL, or ${EMBEDDED}`))
	.refine((said) => said === EMBEDDED || modelName.safeParse(said).success, must(`PROVIDER/MODEL, or ${EMBEDDED}`));

export const effort = z.enum(EFFORTS, must("low, medium or high"));

/** An address that may be shown: fetch refuses one with a password in it. */
export const webAddress = z
	.string(must("a web address, as http://127.0.0.1:8080/v1"))
	.refine(isWebAddress, must("a web address that begins with http:// or https:// and has no user name in it"));

const headers = recordOf(
	z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
	z.string(must("text")).regex(/^[\t -~\x80-\xff]*$/, must("one line of Latin text, as HTTP wants it")),
	"an object of header names and values",
	"the name of an HTTP header",
);

export const format = z.enum(FORMAT_NAMES, {
	error: ({ input }) => {
		const meant = typeof input === "string" ? nearest(input, FORMAT_NAMES) : undefined;
		const help = meant === undefined ? "" : `; did you mean ${meant}?`;
		return `must be one of ${FORMAT_NAMES.join(", ")}${help}`;
	},
});

const facts = sectionSchema({
	windowTokens: z
		.int(must("a whole number of tokens"))
		.min(1, must("above 0"))
		.max(WINDOW_TOKENS_MAX, must(`at most ${WINDOW_TOKENS_MAX}`))
		.optional(),
	images: z.boolean(must("true or false")).optional(),
	format: format.optional(),
});

export const keyEnv = z
	.string(must("the name of an environment variable"))
	// In capitals only, so that a key that somebody puts here is no name and is never shown as one.
	.regex(
		/^[A-Z_][A-Z0-9_]{0,63}$/,
		must("the name of an environment variable in capitals, as MY_API_KEY; the key itself goes to segue login"),
	);

export const provider = sectionSchema({
	type: z.enum(["openai-compatible", "anthropic"], must("openai-compatible or anthropic")).optional(),
	api: z.enum(APIS, must(`one of ${APIS.join(", ")}`)).optional(),
	baseUrl: webAddress.optional(),
	keyEnv: keyEnv.optional(),
	headers: headers.optional(),
	models: recordOf(
		z.string().regex(/^[!-~]{1,200}$/),
		facts,
		"an object with a model's name for each key",
		"a model's name",
	).optional(),
});

const rule = sectionSchema({
	kind: z.enum(PERMISSION_KINDS, must(`one of ${PERMISSION_KINDS.join(", ")}`)),
	pattern: z.string(must("text")).min(1, must("at least one character")),
	answer: z.enum(["allow", "ask", "deny"], must("allow, ask or deny")),
});

/**
 * Far more than users write by hand. A project may add rules without being trusted, and all of them are tried for each permission.
 * No chat starts while a file has a problem, so rules over the bound deny everything.
 */
const RULES_MAX = 1000;
const PATTERNS_LENGTH_MAX = 100_000;

export const rules = z
	.array(rule, must("an array of rules"))
	.max(RULES_MAX, must(`at most ${RULES_MAX} rules`))
	.refine(
		(all) => all.reduce((sum, { pattern }) => sum + pattern.length, 0) <= PATTERNS_LENGTH_MAX,
		must(`rules whose patterns have at most ${PATTERNS_LENGTH_MAX} characters in all`),
	);

const command = z.string(must("a command's name or path")).min(1, must("a command's name or path"));
const args = z.array(z.string(must("text")), must("an array of text"));

export const mcpServer = sectionSchema({
	command: command.optional(),
	args: args.optional(),
	env: recordOf(
		z.string().regex(/^[^=\0]+$/),
		z.string(must("text")),
		"an object of environment variables",
		"a variable's name",
	).optional(),
	url: webAddress.optional(),
	headers: headers.optional(),
}).superRefine((server, { addIssue }) => {
	const isReached = server.url !== undefined;
	if (!isReached && server.command === undefined) {
		addIssue({ code: "custom", path: [], message: "must have a command or a url" });
	}
	for (const field of isReached ? ["command", "args", "env"] : ["headers"]) {
		const message = `does not go with a ${isReached ? "url" : "command"}: take one of them out`;
		if (Object.hasOwn(server, field)) addIssue({ code: "custom", path: [field], message });
	}
});

export const agent = sectionSchema({ command, args: args.optional() });

export const store = sectionSchema({
	url: z
		.string(must("the address of a PostgreSQL database"))
		.refine(isDatabaseAddress, must("the address of a PostgreSQL database, as postgres://user@host/name")),
});

/** An object that has no other fields than these. Of each that it has besides, one line says what was meant. */
export function sectionSchema<Shape extends z.ZodRawShape>(shape: Shape) {
	return z.strictObject(shape, {
		error: (issue) => {
			if (issue.code !== "unrecognized_keys") return must("an object").error(issue);
			return issue.keys.map((key) => unknownField(key, Object.keys(shape))).join("\n");
		},
	});
}

function unknownField(key: string, known: readonly string[]): string {
	const meant = nearest(key, known);
	if (meant !== undefined) return `is no setting; did you mean ${meant}?`;
	if (namesSecret(key)) return "is no setting: a key is kept by segue login PROVIDER, or in an environment variable";
	return `is no setting; here can be ${known.join(", ")}`;
}

export function named<Value extends z.ZodType>(value: Value, what: string) {
	const rules = `${NAME_LENGTH_MAX} letters, digits, dots, hyphens and underscores, beginning with a letter or digit`;
	return recordOf(name, value, `an object of ${what} by name`, `a name of at most ${rules}`);
}

function recordOf<Value extends z.ZodType>(key: z.ZodString, value: Value, what: string, keyIs: string) {
	return z.record(key, value, {
		error: (issue) => (issue.code === "invalid_key" ? must(keyIs).error(issue) : must(what).error(issue)),
	});
}

function isWebAddress(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, username, password } = new URL(text);
	return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

function isDatabaseAddress(text: string): boolean {
	return URL.canParse(text) && ["postgres:", "postgresql:"].includes(new URL(text).protocol);
}
