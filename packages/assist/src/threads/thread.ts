import type { Usage } from "@segue/models";

/** A stored conversation. */
export interface Thread {
	readonly id: string;
	/** The start of the first prompt, unless the user renamed the thread. Empty before the first prompt. */
	readonly title: string;
	/** The absolute path of the workspace folder. */
	readonly workspace: string;
	/** ISO 8601 in UTC, with milliseconds. */
	readonly modifiedAt: string;
}

/**
 * An event in a thread. Entries are ordered by number, which is unique within the thread. Entries in a turn share the
 * turn's id: two processes can run turns in the same thread concurrently, which interleaves their entries.
 */
export interface Entry {
	readonly number: number;
	readonly turn: string;
	readonly at: string;
	readonly body: Body;
}

/** A named checkpoint in a thread. The model does not see it. */
export interface Flag {
	readonly id: string;
	/** The number of the entry before the flag. */
	readonly after: number;
	readonly text: string;
}

export type Body =
	/** `model` is the name of the model or agent that received the prompt; absent for commands, or if there was none. */
	| { readonly type: "prompt"; readonly parts: readonly PromptPart[]; readonly model?: string | undefined }
	| { readonly type: "text"; readonly text: string }
	/** An image or a link that another agent sent. */
	| { readonly type: "image"; readonly mediaType: string; readonly base64: string }
	| { readonly type: "link"; readonly name: string; readonly uri: string }
	| { readonly type: "thought"; readonly text: string; readonly signature: string | undefined }
	| { readonly type: "call"; readonly call: ToolCall }
	/** A file, or a range of its lines, that the model read in this turn. */
	| { readonly type: "file"; readonly path: string; readonly content: string }
	| { readonly type: "plan"; readonly steps: readonly PlanStep[] }
	| { readonly type: "approval"; readonly approval: Approval }
	/** `windowTokens` is the size of the model's context window, if known. */
	| { readonly type: "usage"; readonly usage: Usage; readonly windowTokens?: number | undefined }
	/**
	 * Replaces all earlier entries in the model's context, except for the same turn's prompt and concurrent turns in
	 * other processes.
	 */
	| { readonly type: "summary"; readonly text: string }
	/** The id of another agent's session for this thread, used by later turns with the same agent. */
	| { readonly type: "agent"; readonly agent: string; readonly session: string }
	/** A message for the user but not the model: a retry, a failure, or the reply to a command. */
	| { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
	/** The last entry of a turn. A turn without it was interrupted, because its process died. */
	| { readonly type: "end"; readonly reason: EndReason };

/** Why a turn ended. */
export type EndReason = "done" | "cancelled" | "length" | "steps" | "refused" | "failed";

/** A part of a prompt, from the user or their editor. */
export type PromptPart =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "image"; readonly mediaType: string; readonly base64: string }
	/**
	 * A file. `isEmbedded` means that the client sent the content; if it did not, the content is read and stored with
	 * the thread. `lines` is a 1-based inclusive range, if only part of the file is meant.
	 */
	| {
			readonly type: "file";
			readonly path: string;
			readonly lines: { readonly first: number; readonly last: number } | undefined;
			readonly content: string | undefined;
			readonly isEmbedded?: boolean | undefined;
	  }
	/** Text other than a file in the workspace: a selection, a snippet, terminal output, piped input or a web page. */
	| { readonly type: "excerpt"; readonly label: string; readonly content: string };

/** A tool call, including its result. */
export interface ToolCall {
	readonly id: string;
	readonly tool: string;
	readonly kind: ToolKind;
	/** A short title, such as "Read src/app.ts". */
	readonly title: string;
	readonly status: "pending" | "running" | "done" | "failed";
	/** JSON, exactly as the model wrote it. */
	readonly input: string;
	/** The result sent to the model or, while the call runs, the output so far. */
	readonly output: string;
	readonly diffs: readonly FileDiff[];
	readonly locations: readonly Location[];
	/** The raw result of another agent's tool, as JSON, truncated if long. */
	readonly rawOutput?: string | undefined;
	/** The id of the client's terminal that shows the output. Only valid for this client while the call runs. */
	readonly terminal?: string | undefined;
}

/** ACP's tool kinds, for which editors have icons. */
export type ToolKind =
	| "read"
	| "edit"
	| "delete"
	| "move"
	| "search"
	| "execute"
	| "fetch"
	| "think"
	| "switch_mode"
	| "other";

/** The content of a file before and after a change; `before` is undefined for a new file, `after` for a deleted one. */
export interface FileDiff {
	/** Absolute. */
	readonly path: string;
	readonly before: string | undefined;
	/**
	 * Whether `before` is unreliable: other agents can send no previous content, or an empty string, for both new and
	 * overwritten files.
	 */
	readonly isBeforeUnknown?: boolean | undefined;
	readonly after: string | undefined;
}

export interface Location {
	/** Absolute. */
	readonly path: string;
	/** 1-based. */
	readonly line: number | undefined;
}

export interface PlanStep {
	readonly text: string;
	readonly status: "pending" | "running" | "done";
	/** Absent if the agent did not set one. */
	readonly priority?: "high" | "medium" | "low" | undefined;
}

/** A decision on a permission for a tool call. */
export interface Approval {
	readonly callId: string;
	readonly permission: Permission;
	/**
	 * The source of the answer: the user, a rule or earlier answer, or neither if the client disconnected or the turn
	 * was cancelled.
	 */
	readonly by: "person" | "rule" | "nobody";
	readonly answer: PermissionAnswer;
}

/** A permission that a tool call needs. */
export interface Permission {
	readonly kind: PermissionKind;
	/** A path in the workspace, a command line, the origin of a URL, or `server/tool` for an MCP tool. */
	readonly subject: string;
	/** For MCP tools, a digest of the server's command or URL, because servers can share a name. */
	readonly server?: string | undefined;
	/**
	 * Whether the subject is only a title from another agent, which could mean anything. An approval is then valid only
	 * once, and only a rule for `*` can allow it.
	 */
	readonly isVague?: boolean | undefined;
	/**
	 * Whether the subject is a path outside the workspace. Only a rule with an absolute pattern, or for `*`, can allow
	 * it.
	 */
	readonly isOutside?: boolean | undefined;
}

export type PermissionKind = "read-ignored" | "edit" | "delete" | "command" | "network" | "mcp";

/** Allows once, until this process closes the thread, or always in this workspace; or denies. */
export type PermissionAnswer = "once" | "session" | "always" | "no";

/**
 * An update for the client during a turn. When a thread is replayed, each of its entries is sent as an "entry" update.
 */
export type Update =
	| { readonly type: "entry"; readonly entry: Entry }
	/** Appends to a text or thought entry. */
	| { readonly type: "more"; readonly of: "text" | "thought"; readonly number: number; readonly text: string }
	/** Replaces a call. */
	| { readonly type: "call"; readonly number: number; readonly call: ToolCall }
	| { readonly type: "thread"; readonly thread: Thread };

/** Fits on one line of a list, next to a date. */
const TITLE_CHARS_MAX = 60;

/** Returns the title for a thread: the start of its first prompt, on one line. */
export function threadTitle(parts: readonly PromptPart[]): string {
	const text = parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
	const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
	const characters = [...line];
	if (characters.length > 0) {
		if (characters.length <= TITLE_CHARS_MAX) return line;
		const start = characters.slice(0, TITLE_CHARS_MAX).join("");
		const end = start.lastIndexOf(" ");
		return `${end > 0 ? start.slice(0, end) : start}…`;
	}
	const first = parts[0];
	if (first?.type === "file") return first.path.slice(first.path.lastIndexOf("/") + 1);
	return first?.type === "excerpt" ? first.label : "Image";
}

/** Returns the title for a copy of a thread, with the first unused number: "Fix the build (2)". */
export function forkTitle(title: string, others: readonly string[]): string {
	const base = (NUMBERED.exec(title)?.[1] ?? title) || "Chat";
	const taken = new Set(others);
	for (let number = 2; ; number++) {
		const numbered = `${base} (${number})`;
		if (!taken.has(numbered)) return numbered;
	}
}

const NUMBERED = /^(.*\S) \(\d{1,4}\)$/s;
