import type { Permission, PromptPart, Tool, ToolContext } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type * as eca from "@segue/protocol/eca";
import { pathFromEditor } from "./file-access.js";

/** More than a user adds by hand. */
const CONTEXTS_MAX = 200;

/** Sources for contexts. Files are read with the model's tools, which are restricted to the workspace. */
interface ContextSources {
	readonly tools: readonly Tool[];
	readonly scope: ToolContext;
	/** Reads a resource from an MCP server. Rejects with a `ToolError`. */
	readonly resource: (server: string, uri: string) => Promise<readonly PromptPart[]>;
	/** Whether one of the user's rules denies this permission. */
	readonly isDenied: (permission: Permission) => boolean;
}

interface PromptContexts {
	readonly parts: readonly PromptPart[];
	/** Messages for the user about contexts that were not sent to the model, with the reasons. */
	readonly notices: readonly string[];
}

/** Converts a prompt's contexts in either version of the protocol. The files are read later, by the turn. */
export async function partsOf(contexts: readonly eca.ChatContext[], library: ContextSources): Promise<PromptContexts> {
	const parts: PromptPart[] = [];
	const notices: string[] = [];
	for (const context of contexts.slice(0, CONTEXTS_MAX)) {
		try {
			parts.push(...(await partsIn(context, library)));
		} catch (error) {
			if (!(error instanceof ToolError)) throw error;
			const name = nameOf(context);
			notices.push(`Could not attach ${name}: ${error.message}`);
			parts.push({ type: "excerpt", label: name, content: `(It could not be read: ${error.message})` });
		}
	}
	if (contexts.length > CONTEXTS_MAX) {
		notices.push(`Only the first ${CONTEXTS_MAX} of ${contexts.length} contexts were sent to the model.`);
	}
	return { parts, notices };
}

async function partsIn(context: eca.ChatContext, library: ContextSources): Promise<PromptPart[]> {
	switch (context.type) {
		case "file": {
			const { linesRange, selection, cursor } = context;
			const path = pathIn(context);
			const [start, end] = linesRange ? [linesRange.start, linesRange.end] : [selection?.startLine, selection?.endLine];
			refuseDenied(await permissionsToRead(path, library), library);
			const file: PromptPart = { type: "file", path, lines: linesOf(start, end), content: undefined };
			return cursor == null ? [file] : [file, await placeOf(path, cursor, cursor, library)];
		}
		case "cursor":
			return [await placeOf(pathIn(context), context.position.start, context.position.end, library)];
		case "directory": {
			const path = pathIn(context);
			return [
				{ type: "excerpt", label: `The folder ${path}`, content: await use("list_directory", { path }, library) },
			];
		}
		case "repoMap": {
			const content = await use("find_files", { pattern: "**/*" }, library);
			return [{ type: "excerpt", label: "The files in the workspace", content }];
		}
		case "web":
			return [{ type: "excerpt", label: context.url, content: await use("fetch_url", { url: context.url }, library) }];
		case "image":
			return [{ type: "image", mediaType: context.mediaType, base64: context.base64 }];
		case "text":
			return [{ type: "excerpt", label: context.label ?? "Text", content: context.content }];
		case "code": {
			const label = context.description ?? (context.language ? `Code in ${context.language}` : "Code");
			return [{ type: "excerpt", label, content: context.content }];
		}
		case "terminal": {
			const label = context.command == null ? "A terminal" : `The output of ${context.command}`;
			return [{ type: "excerpt", label, content: context.content }];
		}
		case "mcpResource":
			return [...(await library.resource(context.server, context.uri))];
	}
}

function pathIn(context: { readonly path: string }): string {
	const path = pathFromEditor(context.path);
	if (path === undefined) throw new ToolError("it is on another machine.");
	return path;
}

function linesOf(start: number | undefined, end: number | undefined) {
	if (start === undefined || end === undefined) return undefined;
	const first = Math.max(1, Math.min(start, end));
	return { first, last: Math.max(first, start, end) };
}

interface Position {
	readonly line: number;
	readonly character: number;
}

async function placeOf(path: string, start: Position, end: Position, { scope }: ContextSources): Promise<PromptPart> {
	const { name } = await scope.workspace.resolve(path);
	const at = ({ line, character }: Position) => `line ${line}, character ${character}`;
	const isPoint = start.line === end.line && start.character === end.character;
	const content = isPoint ? `${name}, ${at(start)}` : `${name}, from ${at(start)} to ${at(end)}`;
	return { type: "excerpt", label: isPoint ? "The user's cursor" : "The user's selection", content };
}

/** Ignores files that cannot be read, because the turn reports them. */
async function permissionsToRead(
	path: string,
	{ scope: { workspace } }: ContextSources,
): Promise<readonly Permission[]> {
	try {
		return await workspace.permissionsToRead(await workspace.resolve(path));
	} catch (error) {
		if (error instanceof ToolError) return [];
		throw error;
	}
}

/** Runs a tool without asking for approval, because the user added the context. Deny rules still apply. */
async function use(name: string, input: unknown, library: ContextSources): Promise<string> {
	const { tools, scope } = library;
	const tool = tools.find((each) => each.name === name);
	if (tool === undefined) throw new ToolError(UNAVAILABLE);
	const action = await tool.prepare(tool.input.parse(input), scope);
	refuseDenied(action.permissions, library);
	const { output, failed } = await action.run(scope.signal, () => {});
	if (failed) throw new ToolError(output);
	return output;
}

function refuseDenied(permissions: readonly Permission[], { isDenied }: ContextSources): void {
	const denied = permissions.find(isDenied);
	if (denied !== undefined) throw new ToolError(`a rule forbids it: ${denied.kind} ${denied.subject}.`);
}

/** The network tool is the only tool that may be missing. */
const UNAVAILABLE = 'network access is off. Set "network": true in the configuration to allow it.';

function nameOf(context: eca.ChatContext): string {
	switch (context.type) {
		case "file":
		case "cursor":
		case "directory":
			return context.path;
		case "web":
			return context.url;
		case "mcpResource":
			return `the resource ${context.name ?? context.uri}`;
		default:
			return `the context ${context.type}`;
	}
}
