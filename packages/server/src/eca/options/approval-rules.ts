import { isDeepStrictEqual } from "node:util";
import type { ApprovalEntry } from "@segue/agent/config/layer";
import type { PermissionKind } from "@segue/assist";
import type { OptionReader } from "./option-reader.js";

type RuleAnswer = ApprovalEntry["answer"];

/** ECA's own tools, and what one has to be allowed here for what they do. Those that only look need nothing. */
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

/** What ECA's tools do, and a server's. What is ignored or secret is always asked for, whatever is allowed otherwise. */
const KINDS = ["edit", "delete", "command", "network", "mcp"] as const satisfies readonly PermissionKind[];

/** What one has to be allowed for all of a kind. Who may run any command may run git. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
	edit: ["edit_file", "write_file"],
	delete: ["move_file"],
	command: ["shell_command"],
};

/** One of the selectors of `allow`, `ask` or `deny`. */
interface ToolSelector {
	readonly path: readonly string[];
	readonly answer: RuleAnswer;
	readonly tool: string | undefined;
	readonly kind: PermissionKind | undefined;
	readonly patterns: readonly string[];
	/** Whether it is only about some arguments, in a way that has none here: the patterns then fit more than it says. */
	readonly isNarrower: boolean;
}

/** A rule of ours for a selector. */
interface DerivedRule {
	readonly rule: ApprovalEntry;
	/** Whether it is about more than the selector. */
	readonly isWider: boolean;
}

/**
 * ECA's `toolCall.approval` and `disabledTools` as rules of ours. What cannot be said in ours becomes stricter, never more
 * permissive, and a sentence tells of it.
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
	// Two of ECA's tools may be one here.
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

/** The commands that are meant to the letter. Only a command's text is the same there and here. */
function literals(tool: string, argsMatchers: unknown): readonly string[] | undefined {
	const matchers = Object.entries(argsMatchers ?? {});
	const [first, ...others] = matchers;
	if (tool !== "shell_command" || first?.[0] !== "command" || others.length > 0 || !Array.isArray(first[1]))
		return undefined;
	const isLiteral = (each: unknown) => typeof each === "string" && /^[\w\s,:;=@/%#'"<>~-]+$/.test(each);
	return first[1].every(isLiteral) ? first[1] : undefined;
}

/** As a subject of ours has it, and as a glob takes it to the letter. */
function encoded(part: string): string {
	return part.replace(/[%/]/g, encodeURIComponent).replace(/[*?[\]{}()!+@|,\\]/g, "\\$&");
}

function rulesOf(selected: ToolSelector, all: readonly ToolSelector[], reader: OptionReader): DerivedRule[] {
	const { path, answer, tool, kind, patterns, isNarrower } = selected;
	const isAllow = answer === "allow";
	if (kind === undefined) {
		if (!isAllow) reader.complain(path, "it does not hold: what only looks is never asked for.");
		return [];
	}
	if (isNarrower) {
		const instead = isAllow ? "it is asked for" : answer === "ask" ? "all of it is asked for" : "all of it is denied";
		reader.complain(path, `arguments are not matched by patterns here: ${instead}.`);
		if (isAllow) return [];
	}
	const missing = tool === undefined ? [] : missingFor(selected, kind, all);
	if (missing.length > 0 && !isNarrower) {
		const others = missing.join(" and ");
		reader.complain(
			path,
			isAllow ? `it does not hold without ${others}, which is the same here.` : `it holds for ${others}, too.`,
		);
		if (isAllow) return [];
	}
	const isWider = isNarrower || missing.length > 0;
	return patterns.map((pattern) => ({ rule: { kind, pattern, answer }, isWider }));
}

/** The tools that are the same as this one here, and that the same is not said of. */
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

/** What holds for all that no rule is about. That one is asked is so without a rule. */
function readDefault(value: unknown, ruled: readonly DerivedRule[], reader: OptionReader): ApprovalEntry[] {
	if (value === undefined || value === "ask") return [];
	const path = ["toolCall", "approval", "byDefault"];
	if (value === "allow") return KINDS.map((kind) => ({ kind, pattern: "*", answer: "allow" }));
	if (value !== "deny") {
		reader.complain(path, "it must be ask, allow or deny, and does not hold.");
		return [];
	}
	return KINDS.flatMap((kind): ApprovalEntry[] => {
		// What a rule is about beyond its selector is denied by this.
		const excepted = ruled.flatMap(({ rule, isWider }) => (rule.kind === kind && !isWider ? [rule.pattern] : []));
		if (excepted.length === 0) return [{ kind, pattern: "*", answer: "deny" }];
		if (excepted.includes("*")) return [];
		// The strictest rule that fits counts, so that this one must not fit what others are about.
		if (kind === "mcp")
			return [{ kind, pattern: `!${excepted.length === 1 ? excepted[0] : `{${excepted.join(",")}}`}`, answer: "deny" }];
		reader.complain(path, "it holds for all commands, since none can be excepted here.");
		return [{ kind, pattern: "*", answer: "deny" }];
	});
}
