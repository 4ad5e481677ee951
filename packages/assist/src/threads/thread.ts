import type { Usage } from "@segue/models";

/** A conversation that is kept. */
export interface Thread {
	readonly id: string;
	/** The first words of its first prompt, unless somebody named it. Empty before that. */
	readonly title: string;
	/** The absolute path of the folder that it is about. */
	readonly workspace: string;
	/** ISO 8601, in UTC, to the millisecond. */
	readonly modifiedAt: string;
}

/**
 * One thing that happened in a thread. Within its thread an entry has a number, and entries are in that order. Those of one
 * turn share its id: two processes may each have a turn in one thread at once, and their entries are then mixed.
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
	/** The number of the entry that it stands behind. */
	readonly after: number;
	readonly text: string;
}

export type Body =
	/** `model` is the name of the model or agent that it was put to: absent for a command, and where there was none. */
	| { readonly type: "prompt"; readonly parts: readonly PromptPart[]; readonly model?: string | undefined }
	| { readonly type: "text"; readonly text: string }
	/** What another agent shows besides its text: a picture, or something that it only names. */
	| { readonly type: "image"; readonly mediaType: string; readonly base64: string }
	| { readonly type: "link"; readonly name: string; readonly uri: string }
	| { readonly type: "thought"; readonly text: string; readonly signature: string | undefined }
	| { readonly type: "call"; readonly call: ToolCall }
	/** A file, or lines of it, that the assistant read in this turn. */
	| { readonly type: "file"; readonly path: string; readonly content: string }
	| { readonly type: "plan"; readonly steps: readonly PlanStep[] }
	| { readonly type: "approval"; readonly approval: Approval }
	/** `windowTokens` is how many the model could look at, where that was known. */
	| { readonly type: "usage"; readonly usage: Usage; readonly windowTokens?: number | undefined }
	/**
	 * All before this entry is told to the model as this summary from here on, but for the prompt of the same turn, and for
	 * turns of other processes that went on beside it.
	 */
	| { readonly type: "summary"; readonly text: string }
	/** From this turn on, another agent answers where `agent` is the prompt's model, in a session that it knows by this id. */
	| { readonly type: "agent"; readonly agent: string; readonly session: string }
	/** Something that the person should know and the model need not: a request tried again, a failure, a command's answer. */
	| { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
	/** The last of a turn. A turn without one was cut off: its process died. */
	| { readonly type: "end"; readonly reason: EndReason };

/** Why a turn ended. */
export type EndReason = "done" | "cancelled" | "length" | "steps" | "refused" | "failed";

/** What a person, or their editor, puts into a prompt. */
export type PromptPart =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "image"; readonly mediaType: string; readonly base64: string }
	/**
	 * A file, with its content where the sender has it at hand, as `isEmbedded` then says: the thread keeps that of every file.
	 * 1-based lines, both included, where only some are meant.
	 */
	| {
			readonly type: "file";
			readonly path: string;
			readonly lines: { readonly first: number; readonly last: number } | undefined;
			readonly content: string | undefined;
			readonly isEmbedded?: boolean | undefined;
	  }
	/** Text that is no file of the workspace: a selection, a snippet, what a terminal showed, a piped input, a web page. */
	| { readonly type: "excerpt"; readonly label: string; readonly content: string };

/** A tool's use, from being written by the model to its outcome. */
export interface ToolCall {
	readonly id: string;
	readonly tool: string;
	readonly kind: ToolKind;
	/** What it does, in a few words: "Read src/app.ts". */
	readonly title: string;
	readonly status: "pending" | "running" | "done" | "failed";
	/** The model's own JSON, to the letter. */
	readonly input: string;
	/** What the model is told of it; before it has ended, what there is to see so far. */
	readonly output: string;
	readonly diffs: readonly FileDiff[];
	readonly locations: readonly Location[];
	/** What the tool of another agent gave back, as JSON, cut where it is long. */
	readonly rawOutput?: string | undefined;
	/** The client's terminal that shows it, by the id that this client knew it by as long as the call ran. */
	readonly terminal?: string | undefined;
}

/** In the words of ACP, which editors have icons for. */
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

/** A file as it was and as it is to be; `before` is undefined for a new file and `after` for one that is deleted. */
export interface FileDiff {
	/** Absolute. */
	readonly path: string;
	readonly before: string | undefined;
	/** Whether nobody knows: other agents tell no text, or an empty one, of new files and of those that they write over. */
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
	/** Absent where nobody said. */
	readonly priority?: "high" | "medium" | "low" | undefined;
}

/** A question whether a call may do what it is about to, and what came of it. */
export interface Approval {
	readonly callId: string;
	readonly permission: Permission;
	/** Who or what said so: the person, a rule they had made before, or nobody, when they went away or the turn was cancelled. */
	readonly by: "person" | "rule" | "nobody";
	readonly answer: PermissionAnswer;
}

/** What a call needs a yes for: one thing of one kind. */
export interface Permission {
	readonly kind: PermissionKind;
	/** A path inside the workspace, a command line, a URL's origin, or `server/tool` of an MCP server. */
	readonly subject: string;
	/** Of an MCP server's tool: a digest of the server's command or URL, since any server can have the name of another. */
	readonly server?: string | undefined;
	/**
	 * Whether the subject is only what another agent calls it, so that nobody knows what else it would be for: a yes holds once,
	 * and no rule allows it but one that allows everything.
	 */
	readonly isVague?: boolean | undefined;
	/** Whether the subject is a path outside of the workspace, which only a rule with an absolute pattern, or for everything, allows. */
	readonly isOutside?: boolean | undefined;
}

export type PermissionKind = "read-ignored" | "edit" | "delete" | "command" | "network" | "mcp";

/** Once; for as long as this process works on the thread; from now on in this workspace; or not. */
export type PermissionAnswer = "once" | "session" | "always" | "no";

/** What a client is told as a turn goes. Replaying a thread is telling its entries one by one. */
export type Update =
	| { readonly type: "entry"; readonly entry: Entry }
	/** An entry of type text or thought goes on. */
	| { readonly type: "more"; readonly of: "text" | "thought"; readonly number: number; readonly text: string }
	/** A call is no longer as it was. */
	| { readonly type: "call"; readonly number: number; readonly call: ToolCall }
	| { readonly type: "thread"; readonly thread: Thread };

/** What fits on one line of a list, beside a date. */
const TITLE_CHARS_MAX = 60;

/** What a thread is called after its first prompt: its first words, on one line. */
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

/** A title for the copy of a thread, with the first number that no other title has: "Fix the build (2)". */
export function forkTitle(title: string, others: readonly string[]): string {
	const base = (NUMBERED.exec(title)?.[1] ?? title) || "Chat";
	const taken = new Set(others);
	for (let number = 2; ; number++) {
		const numbered = `${base} (${number})`;
		if (!taken.has(numbered)) return numbered;
	}
}

const NUMBERED = /^(.*\S) \(\d{1,4}\)$/s;
