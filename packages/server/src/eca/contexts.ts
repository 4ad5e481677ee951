import { fileURLToPath } from "node:url";
import type { PromptPart, Scope, Tool } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type { ChatContext } from "@segue/protocol/eca";

/** More than anybody adds by hand. */
const CONTEXTS_MAX = 200;

/** With what contexts are looked up: the tools that a model has, which keep to the workspace and to what is allowed. */
interface Library {
	readonly tools: readonly Tool[];
	readonly scope: Scope;
}

interface Gathered {
	readonly parts: readonly PromptPart[];
	/** For the person: what the model was not shown, and why. */
	readonly notices: readonly string[];
}

/** What an editor sends with a prompt, in either form, as parts of it. Files are read by whoever takes the turn. */
export async function partsOf(contexts: readonly ChatContext[], library: Library): Promise<Gathered> {
	const parts: PromptPart[] = [];
	const notices: string[] = [];
	for (const context of contexts.slice(0, CONTEXTS_MAX)) {
		try {
			parts.push(...(await partsIn(context, library)));
		} catch (error) {
			if (!(error instanceof ToolError)) throw error;
			const name = nameOf(context);
			notices.push(`The model was not shown ${name}: ${error.message}`);
			parts.push({ type: "excerpt", label: name, content: `(It could not be read: ${error.message})` });
		}
	}
	if (contexts.length > CONTEXTS_MAX) {
		notices.push(`The model was shown only the first ${CONTEXTS_MAX} contexts; there were ${contexts.length}.`);
	}
	return { parts, notices };
}

async function partsIn(context: ChatContext, library: Library): Promise<PromptPart[]> {
	switch (context.type) {
		case "file": {
			const { linesRange, selection, cursor } = context;
			const path = pathOf(context.path);
			const [start, end] = linesRange ? [linesRange.start, linesRange.end] : [selection?.startLine, selection?.endLine];
			const file: PromptPart = { type: "file", path, lines: linesOf(start, end), content: undefined };
			return cursor == null ? [file] : [file, await placeOf(path, cursor, cursor, library)];
		}
		case "cursor":
			return [await placeOf(pathOf(context.path), context.position.start, context.position.end, library)];
		case "directory": {
			const path = pathOf(context.path);
			return [
				{ type: "excerpt", label: `The folder ${path}`, content: await use("list_directory", { path }, library) },
			];
		}
		case "repoMap": {
			const content = await use("find_files", { pattern: "**/*" }, library);
			return [{ type: "excerpt", label: "The files of the workspace", content }];
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
		case "mcpResource": {
			const { uri, name, description, server } = context;
			const label = `The resource ${name ?? uri} of the MCP server ${server}`;
			return [{ type: "excerpt", label, content: description == null ? uri : `${uri}\n${description}` }];
		}
	}
}

/** A path as the editor writes it: some send a uri. */
function pathOf(written: string): string {
	if (!/^file:/i.test(written)) return written;
	try {
		return fileURLToPath(written);
	} catch {
		throw new ToolError("it is a file of another machine.");
	}
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

async function placeOf(path: string, start: Position, end: Position, { scope }: Library): Promise<PromptPart> {
	const { name } = await scope.workspace.resolve(path);
	const at = ({ line, character }: Position) => `line ${line}, character ${character}`;
	const isPoint = start.line === end.line && start.character === end.character;
	const content = isPoint ? `${name}, ${at(start)}` : `${name}, from ${at(start)} to ${at(end)}`;
	return { type: "excerpt", label: isPoint ? "The user's cursor" : "What the user has selected", content };
}

/** The user has named it, so it is not asked for again. */
async function use(name: string, input: unknown, { tools, scope }: Library): Promise<string> {
	const tool = tools.find((each) => each.name === name);
	if (tool === undefined) throw new ToolError(UNAVAILABLE);
	const action = await tool.prepare(tool.input.parse(input), scope);
	const { output, failed } = await action.run(scope.signal, () => {});
	if (failed) throw new ToolError(output);
	return output;
}

/** All tools but that for the network are there in any case. */
const UNAVAILABLE = 'the network is not used. "network": true in the configuration allows it.';

function nameOf(context: ChatContext): string {
	switch (context.type) {
		case "file":
		case "cursor":
		case "directory":
			return context.path;
		case "web":
			return context.url;
		default:
			return `the context ${context.type}`;
	}
}
