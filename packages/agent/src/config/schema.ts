import type { PermissionKind } from "@segue/assist";
import { nearest } from "@segue/assist/nearest";
import type { Api, Effort } from "@segue/models";
import { FORMAT_NAMES } from "@segue/models/choice";
import * as z from "zod";
import { EMBEDDED } from "../next-edit/settings.js";
import { must } from "./key-row.js";
import { namesSecret } from "./masking.js";

const EFFORTS = ["low", "medium", "high"] as const satisfies readonly Effort[];

/** The APIs of model servers for next edits. */
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

/** Users don't write longer names, and such names would fill the screen when listed. */
const NAME_LENGTH_MAX = 64;

/** Far more than any model has; a larger number is a typo. */
const WINDOW_TOKENS_MAX = 100_000_000;

const name = z.string().regex(new RegExp(`^[A-Za-z0-9][\\w.-]{0,${NAME_LENGTH_MAX - 1}}$`));

/** A provider's name, a slash, and the provider's name for the model, which may contain slashes. */
export const modelName = z
	.string(must("PROVIDER/MODEL, for example anthropic/claude-sonnet-4-5"))
	.regex(/^[A-Za-z0-9][\w.-]{0,63}\/[!-~]{1,200}$/, must("PROVIDER/MODEL, for example anthropic/claude-sonnet-4-5"));

/** The model for next edits, or the embedded engine. */
export const nextEditModel = z
	.string(must(`PROVIDER/MODEL, or ${EMBEDDED}`))
	.refine((text) => text === EMBEDDED || modelName.safeParse(text).success, must(`PROVIDER/MODEL, or ${EMBEDDED}`));

export const effort = z.enum(EFFORTS, must("low, medium or high"));

/** A URL without credentials, because `fetch` rejects URLs that contain them. It may be shown to users. */
export const webAddress = z
	.string(must("a URL, for example http://127.0.0.1:8080/v1"))
	.refine(isWebAddress, must("a URL that starts with http:// or https:// and contains no user name"));

const headers = recordOf(
	z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
	z.string(must("a string")).regex(/^[\t -~\x80-\xff]*$/, must("one line of Latin-1 characters")),
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
		.min(1, must("greater than 0"))
		.max(WINDOW_TOKENS_MAX, must(`at most ${WINDOW_TOKENS_MAX}`))
		.optional(),
	images: z.boolean(must("true or false")).optional(),
	format: format.optional(),
});

export const keyEnv = z
	.string(must("the name of an environment variable"))
	// Capitals only, so that a key entered here by mistake does not match and is never printed as a name.
	.regex(
		/^[A-Z_][A-Z0-9_]{0,63}$/,
		must(
			"the name of an environment variable in capitals, for example MY_API_KEY; store the key itself with segue login",
		),
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
		"an object that maps model names to their settings",
		"a model's name",
	).optional(),
});

const rule = sectionSchema({
	kind: z.enum(PERMISSION_KINDS, must(`one of ${PERMISSION_KINDS.join(", ")}`)),
	pattern: z.string(must("a string")).min(1, must("at least one character long")),
	answer: z.enum(["allow", "ask", "deny"], must("allow, ask or deny")),
});

/**
 * Far more than users write by hand. A project may add rules without trust, and every permission is checked against all
 * rules. No chat starts while a file has a problem, so exceeding the limit cannot disable a rule.
 */
const RULES_MAX = 1000;
const PATTERNS_LENGTH_MAX = 100_000;

export const rules = z
	.array(rule, must("an array of rules"))
	.max(RULES_MAX, must(`an array of at most ${RULES_MAX} rules`))
	.refine(
		(all) => all.reduce((sum, { pattern }) => sum + pattern.length, 0) <= PATTERNS_LENGTH_MAX,
		must(`rules whose patterns have at most ${PATTERNS_LENGTH_MAX} characters in total`),
	);

const command = z.string(must("a command's name or path")).min(1, must("a command's name or path"));
const args = z.array(z.string(must("a string")), must("an array of strings"));

export const mcpServer = sectionSchema({
	command: command.optional(),
	args: args.optional(),
	env: recordOf(
		z.string().regex(/^[^=\0]+$/),
		z.string(must("a string")),
		"an object of environment variables",
		"a variable's name",
	).optional(),
	url: webAddress.optional(),
	headers: headers.optional(),
}).superRefine((server, { addIssue }) => {
	const isRemote = server.url !== undefined;
	if (!isRemote && server.command === undefined) {
		addIssue({ code: "custom", path: [], message: "must have a command or a url" });
	}
	for (const field of isRemote ? ["command", "args", "env"] : ["headers"]) {
		const message = `cannot be combined with a ${isRemote ? "url" : "command"}: remove one of them`;
		if (Object.hasOwn(server, field)) addIssue({ code: "custom", path: [field], message });
	}
});

export const agent = sectionSchema({ command, args: args.optional() });

export const store = sectionSchema({
	url: z
		.string(must("the URL of a PostgreSQL database"))
		.refine(isDatabaseAddress, must("the URL of a PostgreSQL database, for example postgres://user@host/name")),
});

/** An object with only these fields. The error has one line for each unknown field. */
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
	if (meant !== undefined) return `is not a setting; did you mean ${meant}?`;
	if (namesSecret(key)) return "is not a setting; store a key with segue login PROVIDER, or in an environment variable";
	return `is not a setting; available: ${known.join(", ")}`;
}

export function named<Value extends z.ZodType>(value: Value, what: string) {
	const rules = `${NAME_LENGTH_MAX} letters, digits, dots, hyphens and underscores, starting with a letter or digit`;
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
