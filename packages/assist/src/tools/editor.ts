import * as z from "zod";
import type { EditorKnowledge, EditorNote, EditorPosition } from "../client.js";
import { ToolError } from "../failures.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";
import { cutTo } from "./truncate.js";

// More files than a person has open, and more problems than a model mends at once.
const NOTES_MAX = 500;
// About 5,000 tokens: whoever has selected more than that is better served by the file itself.
const OUTPUT_CHARS_MAX = 20_000;

/** Tools that ask the user's editor, as far as it can answer. */
export function editorTools(editor: EditorKnowledge): readonly Tool[] {
	const { openDocuments, recentDocuments, activeDocument, definition, references } = editor;
	return [
		...(editor.diagnostics === undefined ? [] : [diagnostics(editor.diagnostics)]),
		...(definition === undefined
			? []
			: [finding("find_definition", "Finds where the symbol at a place in a file is defined", definition)]),
		...(references === undefined
			? []
			: [finding("find_references", "Finds where the symbol at a place in a file is used", references)]),
		...(openDocuments === undefined
			? []
			: [asking("open_documents", "Lists the files that are open in the user's editor.", openDocuments)]),
		...(recentDocuments === undefined
			? []
			: [asking("recent_documents", "Lists the files that the user had open in the editor lately.", recentDocuments)]),
		...(activeDocument === undefined
			? []
			: [
					asking(
						"active_document",
						"Tells which file the user is looking at in the editor, and where the cursor is or what is selected.",
						activeDocument,
					),
				]),
	];
}

type Ask = (signal: AbortSignal) => Promise<readonly EditorNote[]>;

function asking(name: string, description: string, ask: Ask): Tool<object> {
	return {
		name,
		description,
		kind: "read",
		input: z.object({}),
		prepare: async (_input, context) => ({
			title: titleOf(name),
			locations: [],
			diffs: [],
			permissions: [],
			run: async (signal) => ({ output: await print(await ask(signal), undefined, context), read: [], failed: false }),
		}),
	};
}

const input = z.object({
	path: z.string().optional().describe("A file, from the top of the workspace. All files if absent."),
});

function diagnostics(ask: NonNullable<EditorKnowledge["diagnostics"]>): Tool<z.infer<typeof input>> {
	return {
		name: "diagnostics",
		description: "Lists the errors and warnings that the user's editor shows, of one file or of all.",
		kind: "read",
		input,
		prepare: async ({ path }, context): Promise<ToolAction> => {
			const { workspace } = context;
			const resolved = path === undefined ? undefined : await workspace.resolve(path);
			return {
				title: resolved === undefined ? "Diagnostics" : `Diagnostics of ${resolved.name}`,
				locations: resolved === undefined ? [] : [{ path: resolved.path, line: undefined }],
				diffs: [],
				permissions: resolved === undefined ? [] : await workspace.permissionsToRead(resolved),
				run: async (signal) => {
					const notes = await ask(resolved?.path, signal);
					return { output: await print(notes, resolved, context), read: [], failed: false };
				},
			};
		},
	};
}

const positionInput = z.object({
	path: z.string().describe("The file that the symbol stands in, from the top of the workspace."),
	line: z.int().min(1).describe("The line that it stands in, counted from 1."),
	character: z.int().min(1).describe("Where in the line it begins, counted from 1: a tab is one character."),
});

type AskAt = (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;

function finding(name: string, description: string, ask: AskAt): Tool<z.infer<typeof positionInput>> {
	return {
		name,
		description: `${description}, as the language server of the user's editor knows it.`,
		kind: "search",
		input: positionInput,
		prepare: async ({ path, line, character }, context): Promise<ToolAction> => {
			const { workspace } = context;
			const resolved = await workspace.resolve(path);
			return {
				title: `${titleOf(name)} at ${resolved.name}:${line}:${character}`,
				locations: [{ path: resolved.path, line }],
				diffs: [],
				permissions: await workspace.permissionsToRead(resolved),
				run: async (signal) => {
					const notes = await ask({ path: resolved.path, line, character }, signal);
					return { output: await print(notes, resolved, context), read: [], failed: false };
				},
			};
		},
	};
}

function titleOf(name: string): string {
	return name.replace("_", " ").replace(/^./, (first) => first.toUpperCase());
}

/** What the model may know of that: nothing of what is outside, secret or, unless it was asked for by its name, ignored. */
async function print(
	notes: readonly EditorNote[],
	named: ResolvedPath | undefined,
	{ workspace }: ToolContext,
): Promise<string> {
	const lines: string[] = [];
	for (const { path, text } of notes.slice(0, NOTES_MAX)) {
		try {
			const resolved = await workspace.resolve(path);
			const isAllowed = resolved.path === named?.path || !(await workspace.isIgnored(resolved));
			if (isAllowed) lines.push(text === "" ? resolved.name : `${resolved.name}: ${text}`);
		} catch (error) {
			if (!(error instanceof ToolError)) throw error;
		}
	}
	if (notes.length > NOTES_MAX) lines.push(`(There are ${notes.length - NOTES_MAX} more.)`);
	return lines.length === 0 ? "There is nothing." : cutTo(lines.join("\n"), OUTPUT_CHARS_MAX);
}
