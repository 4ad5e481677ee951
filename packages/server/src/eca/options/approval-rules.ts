import { isDeepStrictEqual } from "node:util";
import type { ApprovalEntry } from "@segue/agent/config/layer";
import type { PermissionKind } from "@segue/assist";
import type { OptionReader } from "./option-reader.js";

type RuleAnswer = ApprovalEntry["answer"];

/** ECA's own tools and the permissions they need in Segue. Read-only tools need no permission. */
const TOOLS: Readonly<Record<string, PermissionKind | undefined>> = {
	edit_file: "edit",
	write_file: "edit",
	move_file: "delete",
	shell_command: "command",
	git: "command",
	read_file: undefined,
	directory_tree: undefined,
	grep: undefined,
	preview_file_change: undefined,
	editor_diagnostics: undefined,
	editor_definition: undefined,
	editor_references: undefined,
	compact_chat: undefined,
	ask_user: undefined,
	skill: undefined,
	task: undefined,
	bg_job: undefined,
	fetch_rule: undefined,
	spawn_agent: undefined,
};

/** The permissions that ECA's tools and MCP servers need. Reading ignored or secret files always needs approval. */
const KINDS = ["edit", "delete", "command", "network", "mcp"] as const satisfies readonly PermissionKind[];

/** The tools that must all be selected to cover a permission. A rule for all commands also covers git. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
	edit: ["edit_file", "write_file"],
	delete: ["move_file"],
	command: ["shell_command"],
};

/** A selector under `allow`, `ask` or `deny`. */
interface ToolSelector {
	readonly path: readonly string[];
	readonly answer: RuleAnswer;
	readonly tool: string | undefined;
	readonly kind: PermissionKind | undefined;
	readonly patterns: readonly string[];
	/**
	 * Whether the selector has argument matchers that our patterns cannot express. The patterns then match more calls.
	 */
	readonly isNarrower: boolean;
}

/** A Segue rule for a selector. */
interface DerivedRule {
	readonly rule: ApprovalEntry;
	/** Whether the rule matches more calls than the selector. */
	readonly isWider: boolean;
}

/**
 * Converts ECA's `toolCall.approval` and `disabledTools` to Segue's rules. If a selector cannot be expressed exactly,
 * its rule is stricter, never more permissive, and the user gets a message.
 */
export function readApprovals(value: unknown, disabledTools: unknown, reader: OptionReader): ApprovalEntry[] {
	const path = ["toolCall", "approval"];
	const approval = reader.fields(path, value);
	const selected = (["allow", "ask", "deny"] as const).flatMap((answer) => {
		const entries = reader.entries([...path, answer], approval[answer]);
		return entries.flatMap(([name, each]) => select(name, each, answer, [...path, answer, name], reader));
	});
	const disabled = Array.isArray(disabledTools) ? disabledTools : [];
	for (const name of disabled)
		if (typeof name === "string") selected.push(...select(name, {}, "deny", ["disabledTools"], reader));
	const ruled = selected.flatMap((each) => rulesOf(each, selected, reader));
	// Remove duplicates, because several ECA tools can map to one rule.
	const rules = ruled
		.map(({ rule }) => rule)
		.filter((rule, i, all) => all.findIndex((other) => isDeepStrictEqual(other, rule)) === i);
	return [...rules, ...readDefault(approval["byDefault"], ruled, reader)];
}

function select(
	name: string,
	value: unknown,
	answer: RuleAnswer,
	path: readonly string[],
	reader: OptionReader,
): ToolSelector[] {
	const { argsMatchers } = reader.fields(path, value);
	const bare = name.replace(/^eca__/, "");
	if (name === "eca") {
		return Object.keys(TOOLS).flatMap((tool) =>
			TOOLS[tool] === undefined ? [] : select(tool, value, answer, path, reader),
		);
	}
	if (Object.hasOwn(TOOLS, bare)) {
		const kind = TOOLS[bare];
		const commands = argsMatchers === undefined ? undefined : literals(bare, argsMatchers);
		const isNarrower = argsMatchers !== undefined && commands === undefined;
		return [{ path, answer, tool: bare, kind, patterns: commands ?? ["*"], isNarrower }];
	}
	const [server = "", ...tool] = name.split("__");
	const pattern = `${encoded(server)}/${tool.length === 0 ? "*" : encoded(tool.join("__"))}`;
	return [{ path, answer, tool: undefined, kind: "mcp", patterns: [pattern], isNarrower: argsMatchers !== undefined }];
}

/** Returns the commands if all of them are matched literally. Other arguments have no equivalent in Segue. */
function literals(tool: string, argsMatchers: unknown): readonly string[] | undefined {
	const matchers = Object.entries(argsMatchers ?? {});
	const [first, ...others] = matchers;
	if (tool !== "shell_command" || first?.[0] !== "command" || others.length > 0 || !Array.isArray(first[1]))
		return undefined;
	const isLiteral = (each: unknown) => typeof each === "string" && /^[\w\s,:;=@/%#'"<>~-]+$/.test(each);
	return first[1].every(isLiteral) ? first[1] : undefined;
}

/** Encodes a name as in a permission's subject and escapes glob characters. */
function encoded(part: string): string {
	return part.replace(/[%/]/g, encodeURIComponent).replace(/[*?[\]{}()!+@|,\\]/g, "\\$&");
}

function rulesOf(selected: ToolSelector, all: readonly ToolSelector[], reader: OptionReader): DerivedRule[] {
	const { path, answer, tool, kind, patterns, isNarrower } = selected;
	const isAllow = answer === "allow";
	if (kind === undefined) {
		if (!isAllow) reader.complain(path, "ignored: read-only tools never need approval.");
		return [];
	}
	if (isNarrower) {
		const instead = isAllow
			? "these calls need approval"
			: answer === "ask"
				? "all calls need approval"
				: "all calls are denied";
		reader.complain(path, `argument patterns are not supported: ${instead}.`);
		if (isAllow) return [];
	}
	const missing = tool === undefined ? [] : missingFor(selected, kind, all);
	if (missing.length > 0 && !isNarrower) {
		const others = missing.join(" and ");
		reader.complain(
			path,
			isAllow
				? `ignored: ${others} needs the same permission, so allow both.`
				: `also applies to ${others}, which needs the same permission.`,
		);
		if (isAllow) return [];
	}
	const isWider = isNarrower || missing.length > 0;
	return patterns.map((pattern) => ({ rule: { kind, pattern, answer }, isWider }));
}

/** Returns the tools with the same permission that have no selector with the same answer. */
function missingFor(
	{ tool, answer }: ToolSelector,
	kind: PermissionKind,
	all: readonly ToolSelector[],
): readonly string[] {
	const isAll = (each: string) => {
		return all.some((other) => {
			return other.tool === each && other.answer === answer && other.patterns[0] === "*" && !other.isNarrower;
		});
	};
	return (WHOLE[kind] ?? []).filter((each) => each !== tool && !isAll(each));
}

/** Returns the rules for calls without a selector. `ask` is the default and needs no rule. */
function readDefault(value: unknown, ruled: readonly DerivedRule[], reader: OptionReader): ApprovalEntry[] {
	if (value === undefined || value === "ask") return [];
	const path = ["toolCall", "approval", "byDefault"];
	if (value === "allow") return KINDS.map((kind) => ({ kind, pattern: "*", answer: "allow" }));
	if (value !== "deny") {
		reader.complain(path, "must be ask, allow or deny; ignored.");
		return [];
	}
	return KINDS.flatMap((kind): ApprovalEntry[] => {
		// A wider rule also matches calls that its selector does not. These must still be denied, so don't treat the rule
		// as an exception.
		const excepted = ruled.flatMap(({ rule, isWider }) => (rule.kind === kind && !isWider ? [rule.pattern] : []));
		if (excepted.length === 0) return [{ kind, pattern: "*", answer: "deny" }];
		if (excepted.includes("*")) return [];
		// The strictest matching rule wins, so the default rule must not match calls that other rules match.
		if (kind === "mcp")
			return [{ kind, pattern: `!${excepted.length === 1 ? excepted[0] : `{${excepted.join(",")}}`}`, answer: "deny" }];
		reader.complain(path, "applies to all commands, because exceptions for commands are not supported.");
		return [{ kind, pattern: "*", answer: "deny" }];
	});
}
