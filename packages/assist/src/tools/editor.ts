import * as z from "zod";
import type { EditorKnowledge, EditorNote, EditorPosition } from "../client.js";
import { ToolError } from "../failures.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";
import { cutTo } from "./truncate.js";

// More files than users keep open, and more problems than a model fixes in one go.
const NOTES_MAX = 500;
// About 5,000 tokens. For a longer selection, the model can read the file.
const OUTPUT_CHARS_MAX = 20_000;

/** Tools that query the user's editor, one for each query that it supports. */
export function editorTools(editor: EditorKnowledge): readonly Tool[] {
	const { openDocuments, recentDocuments, activeDocument, definition, references } = editor;
	return [
		...(editor.diagnostics === undefined ? [] : [diagnostics(editor.diagnostics)]),
		...(definition === undefined
			? []
			: [finding("find_definition", "Finds the definition of the symbol at a position in a file", definition)]),
		...(references === undefined
			? []
			: [finding("find_references", "Finds the references to the symbol at a position in a file", references)]),
		...(openDocuments === undefined
			? []
			: [listing("open_documents", "Lists the files that are open in the user's editor.", openDocuments)]),
		...(recentDocuments === undefined
			? []
			: [
					listing(
						"recent_documents",
						"Lists the files that the user recently had open in the editor.",
						recentDocuments,
					),
				]),
		...(activeDocument === undefined
			? []
			: [
					listing(
						"active_document",
						"Returns the file that has focus in the user's editor, with the cursor position or the selected text.",
						activeDocument,
					),
				]),
	];
}

type Ask = (signal: AbortSignal) => Promise<readonly EditorNote[]>;

function listing(name: string, description: string, ask: Ask): Tool<object> {
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
	path: z.string().optional().describe("A file, relative to the workspace root (default: all files)."),
});

function diagnostics(ask: NonNullable<EditorKnowledge["diagnostics"]>): Tool<z.infer<typeof input>> {
	return {
		name: "diagnostics",
		description: "Lists the errors and warnings that the user's editor shows, for one file or for all files.",
		kind: "read",
		input,
		prepare: async ({ path }, context): Promise<ToolAction> => {
			const { workspace } = context;
			const resolved = path === undefined ? undefined : await workspace.resolve(path);
			return {
				title: resolved === undefined ? "Diagnostics" : `Diagnostics for ${resolved.name}`,
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
	path: z.string().describe("The file that contains the symbol, relative to the workspace root."),
	line: z.int().min(1).describe("The line of the symbol, 1-based."),
	character: z.int().min(1).describe("The column where the symbol starts, 1-based; a tab counts as one character."),
});

type AskAt = (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;

function finding(name: string, description: string, ask: AskAt): Tool<z.infer<typeof positionInput>> {
	return {
		name,
		description: `${description}, using the language server of the user's editor.`,
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

/**
 * Formats the editor's response for the model. Omits files outside the workspace, secret files, and ignored files other
 * than `named`.
 */
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
	if (notes.length > NOTES_MAX) lines.push(`(${notes.length - NOTES_MAX} more not listed.)`);
	return lines.length === 0 ? "No results." : cutTo(lines.join("\n"), OUTPUT_CHARS_MAX);
}
