import { outputBefore } from "../end-tokens.js";
import type { Format, ModelOutput, ParsedOutput, PromptInput } from "../format.js";
import { type PromptEdit, type PromptFormat, type PromptParts, putMark, takeMark, withEdits } from "../prompt-parts.js";
import { isEmptyOutput, readRewritten } from "../reply.js";
import { estimateTokens, sharesOf } from "../token-budget.js";
import type { Window } from "../window.js";
import { type ZetaRegion, zetaEditsOf, zetaRegionOf, zetaTokens } from "./zeta-region.js";

const START_OF_FILE = "<|start_of_file|>";
const START = "<|editable_region_start|>";
const CURSOR = "<|user_cursor_is_here|>";
const END = "<|editable_region_end|>";
const MARKS = [START_OF_FILE, START, CURSOR, END];

// Zed limits the length of the reply but, for edits, only their number. Twice the window of the later models has room
// for six long edits.
const MOST = { prompt: 8192, answer: 2048 };

/**
 * The format for Zed's first model. The prompt contains instructions, the user's edits, and an excerpt in which two
 * marks enclose the region to rewrite.
 */
export const zeta1: Format = {
	name: "zeta-1",
	specialTokens: MARKS,
	write(input, target) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, target);
		const region = zetaRegionOf(input);
		const { window, shown } = region;
		const parts = partsOf(input, region);
		const left = promptTokens - zetaTokens(encode(parts));
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const edits = zetaEditsOf(input, left, (edit) => `${printEdit(edit)}\n\n`);
		return {
			ask: {
				kind: "completion",
				prompt: encode({ ...parts, edits }),
				stop: [END],
				tokensMax: answer,
				temperature: 0,
			},
			shown,
			window,
			read: (output) => read(window, output),
		};
	},
};

interface Zeta1Parts extends PromptParts {
	/** Whether the excerpt starts at the beginning of the file. */
	readonly isStartOfFile: boolean;
}

function partsOf({ path }: PromptInput, { window, shown }: ZetaRegion): Zeta1Parts {
	return {
		path,
		files: [],
		edits: [],
		isStartOfFile: shown.first === 0,
		before: window.before(shown),
		region: window.content,
		cursor: window.cursorInContent,
		after: window.after(shown),
	};
}

// The edits are between these headings, followed by the excerpt in a fence.
const INSTRUCTION =
	"You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the user provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.";
const EDITS_HEAD = "### User Edits:\n\n";
const EXCERPT_HEAD = "\n\n### User Excerpt:\n\n```";
const TAIL = "\n```\n\n### Response:\n";

function encode({ path, edits, isStartOfFile, before, region, cursor, after }: Zeta1Parts): string {
	const head = `### Instruction:\n${INSTRUCTION}\n\n${EDITS_HEAD}${edits.map(printEdit).join("\n\n")}`;
	const startOfFile = isStartOfFile ? `${START_OF_FILE}\n` : "";
	const marked = `${START}\n${putMark(region, CURSOR, cursor)}\n${END}`;
	return `${head}${EXCERPT_HEAD}${path ?? ""}\n${startOfFile}${before}${marked}${after}${TAIL}`;
}

function printEdit(edit: PromptEdit): string {
	if (!("diff" in edit)) throw new Error("Zeta 1 prompts need edits as diffs");
	const renamed = edit.oldPath === edit.path ? "" : `User renamed ${edit.oldPath} to ${edit.path}\n\n`;
	return `${renamed}User edited ${edit.path}:\n\`\`\`diff\n${edit.diff}\n\`\`\``;
}

/**
 * A reply replaces the text between the marks, and an empty reply deletes the region. Every prompt with both marks is
 * decoded. If the rest of the prompt cannot be parsed, only the region is known.
 */
export const zeta1Prompt: PromptFormat<Zeta1Parts> = {
	name: "zeta-1",
	answers: "region",
	marks: MARKS,
	decode(prompt) {
		const excerpt = prompt.indexOf(EXCERPT_HEAD);
		const start = prompt.indexOf(`${START}\n`, Math.max(excerpt, 0));
		const end = prompt.lastIndexOf(`\n${END}`);
		const from = start + START.length + 1;
		// An empty region without a cursor has a single line break, shared by both marks.
		if (start < 0 || end < from - 1) return undefined;
		const { text: region, at: cursor } = takeMark(prompt.slice(from, Math.max(end, from)), CURSOR);
		const shown = {
			...{ files: [], edits: [], path: undefined, isStartOfFile: false, before: "", after: "" },
			...{ region, cursor },
		};
		const pathEnd = prompt.indexOf("\n", excerpt + EXCERPT_HEAD.length);
		if (excerpt < 0 || pathEnd < 0 || pathEnd >= start) return shown;
		const above = prompt.slice(pathEnd + 1, start);
		const isStartOfFile = above.startsWith(`${START_OF_FILE}\n`);
		const below = prompt.slice(end + 1 + END.length);
		const editsFrom = prompt.indexOf(EDITS_HEAD) + EDITS_HEAD.length;
		return {
			...shown,
			path: prompt.slice(excerpt + EXCERPT_HEAD.length, pathEnd),
			edits: editsFrom <= excerpt ? readEdits(prompt.slice(editsFrom, excerpt)) : [],
			isStartOfFile,
			before: isStartOfFile ? above.slice(START_OF_FILE.length + 1) : above,
			after: below.endsWith(TAIL) ? below.slice(0, -TAIL.length) : below,
		};
	},
	encode,
	answer({ region }, edits) {
		// If the end mark is missing, editors treat the line break before it as part of the region.
		return { text: `${START}\n${withEdits(region, edits)}`, end: `\n${END}` };
	},
};

/** Reads edits up to the first unreadable one. */
function readEdits(text: string): PromptEdit[] {
	const edits: PromptEdit[] = [];
	let at = 0;
	const line = (prefix: string, suffix: string) => {
		const to = text.indexOf("\n", at);
		const read = to < 0 ? "" : text.slice(at, to + 1);
		if (!read.startsWith(prefix) || !read.endsWith(suffix)) return undefined;
		at = to + 1;
		return read.slice(prefix.length, -suffix.length);
	};
	for (;;) {
		const renamed = line("User renamed ", "\n");
		if (renamed !== undefined) at++;
		const path = line("User edited ", ":\n");
		if (path === undefined || line("```diff", "\n") !== "") return edits;
		// Every line in a diff starts with a prefix character, so the first fence closes the diff.
		const close = text.indexOf("\n```", at);
		if (close < 0) return edits;
		const oldPath = renamed?.endsWith(` to ${path}`) ? renamed.slice(0, -` to ${path}`.length) : path;
		edits.push({ path, oldPath, isAccepted: false, diff: text.slice(at, close) });
		at = close + "\n```\n\n".length;
	}
}

/** Reads the region between the marks. If a mark is missing, uses the start or end of the output. */
function read(window: Window, { text, end }: ModelOutput): ParsedOutput {
	const start = text.indexOf(START);
	// The start mark may still arrive, and text before it does not belong to the region.
	if (start < 0 && end === undefined) return { hunks: [] };
	const from = start < 0 ? 0 : start + START.length;
	if (text.slice(0, from).includes(END)) return { nothing: "unreadable-answer" };
	const region = outputBefore({ text: text.slice(from).replace(/^(\r\n|\n)/, ""), end }, [END]);
	if (start < 0 && isEmptyOutput(region)) return { nothing: "no-edit" };
	return readRewritten(window, { ...region, text: region.text.replaceAll(CURSOR, "") });
}
