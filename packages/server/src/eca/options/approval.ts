import { isDeepStrictEqual } from "node:util";
import type { PermissionKind } from "@segue/assist";
import type { ApprovalRule } from "../../configuration/layer.js";
import type { Reader } from "./reader.js";

type Answer = ApprovalRule["answer"];

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
interface Selected {
	readonly path: readonly string[];
	readonly answer: Answer;
	readonly tool: string | undefined;
	readonly kind: PermissionKind | undefined;
	/** Undefined where its arguments are matched in a way that has none here. */
	readonly patterns: readonly string[] | undefined;
}

/**
 * ECA's `toolCall.approval` and `disabledTools` as rules of ours. What cannot be said in ours becomes stricter, never more
 * permissive, and a sentence tells of it.
 */
export function readApprovals(value: unknown, disabledTools: unknown, reader: Reader): ApprovalRule[] {
	const path = ["toolCall", "approval"];
	const approval = reader.fields(path, value);
	const selected = (["allow", "ask", "deny"] as const).flatMap((answer) => {
		const entries = reader.entries([...path, answer], approval[answer]);
		return entries.flatMap(([name, each]) => select(name, each, answer, [...path, answer, name], reader));
	});
	const disabled = Array.isArray(disabledTools) ? disabledTools : [];
	for (const name of disabled)
		if (typeof name === "string") selected.push(...select(name, {}, "deny", ["disabledTools"], reader));
	// Two of ECA's tools may be one here.
	const rules = selected
		.flatMap((each) => rulesOf(each, selected, reader))
		.filter((rule, i, all) => all.findIndex((other) => isDeepStrictEqual(other, rule)) === i);
	return [...rules, ...readDefault(approval["byDefault"], rules, reader)];
}

function select(name: string, value: unknown, answer: Answer, path: readonly string[], reader: Reader): Selected[] {
	const { argsMatchers } = reader.fields(path, value);
	const bare = name.replace(/^eca__/, "");
	if (name === "eca") {
		return Object.keys(TOOLS).flatMap((tool) =>
			TOOLS[tool] === undefined ? [] : select(tool, value, answer, path, reader),
		);
	}
	if (Object.hasOwn(TOOLS, bare)) {
		const kind = TOOLS[bare];
		const patterns = argsMatchers === undefined ? ["*"] : literals(bare, argsMatchers);
		return [{ path, answer, tool: bare, kind, patterns }];
	}
	const [server = "", ...tool] = name.split("__");
	const pattern = `${encoded(server)}/${tool.length === 0 ? "*" : encoded(tool.join("__"))}`;
	return [{ path, answer, tool: undefined, kind: "mcp", patterns: argsMatchers === undefined ? [pattern] : undefined }];
}

/** The commands that are meant to the letter. Only a command's text is the same there and here. */
function literals(tool: string, argsMatchers: unknown): readonly string[] | undefined {
	const matchers = Object.entries(argsMatchers as object);
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

function rulesOf(
	{ path, answer, tool, kind, patterns }: Selected,
	all: readonly Selected[],
	reader: Reader,
): ApprovalRule[] {
	if (kind === undefined) {
		if (answer !== "allow") reader.complain(path, "it does not hold: what only looks is never asked for.");
		return [];
	}
	if (patterns === undefined) {
		const instead = answer === "allow" ? "it is asked for." : "all of it is asked for.";
		reader.complain(path, `arguments are not matched by patterns here: ${instead}`);
		return answer === "allow" ? [] : [{ kind, pattern: "*", answer: "ask" }];
	}
	if (tool !== undefined) {
		const isAll = (each: string) => {
			return all.some((other) => other.tool === each && other.answer === answer && other.patterns?.[0] === "*");
		};
		const missing = (WHOLE[kind] ?? []).filter((each) => each !== tool && !isAll(each)).join(" and ");
		if (missing !== "") {
			const isAllow = answer === "allow";
			const why = isAllow
				? `it does not hold without ${missing}, which is the same here.`
				: `it holds for ${missing}, too.`;
			reader.complain(path, why);
			if (isAllow) return [];
		}
	}
	return patterns.map((pattern) => ({ kind, pattern, answer }));
}

/** What holds for all that no rule is about. That one is asked is so without a rule. */
function readDefault(value: unknown, rules: readonly ApprovalRule[], reader: Reader): ApprovalRule[] {
	if (value === undefined || value === "ask") return [];
	const path = ["toolCall", "approval", "byDefault"];
	if (value === "allow") return KINDS.map((kind) => ({ kind, pattern: "*", answer: "allow" }));
	if (value !== "deny") {
		reader.complain(path, "it must be ask, allow or deny, and does not hold.");
		return [];
	}
	return KINDS.flatMap((kind): ApprovalRule[] => {
		const excepted = rules.filter((rule) => rule.kind === kind).map(({ pattern }) => pattern);
		if (excepted.length === 0) return [{ kind, pattern: "*", answer: "deny" }];
		if (excepted.includes("*")) return [];
		// The strictest rule that fits counts, so that this one must not fit what others are about.
		if (kind === "mcp")
			return [{ kind, pattern: `!${excepted.length === 1 ? excepted[0] : `{${excepted.join(",")}}`}`, answer: "deny" }];
		reader.complain(path, "other commands than those are asked for.");
		return [];
	});
}
