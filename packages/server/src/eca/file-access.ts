import { fileURLToPath } from "node:url";
import type { ThreadWorkspace } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import { ErrorCode, RpcError } from "@segue/rpc";

/** The path of a file as an editor writes it: some send a uri. Undefined for a file of another machine. */
export function pathFromEditor(written: string): string | undefined {
	if (!/^file:/i.test(written)) return written;
	try {
		return fileURLToPath(written);
	} catch {
		return undefined;
	}
}

/** What may become of a file: nothing, only what happens on this machine, or what a model does with it. */
export type FileReach = "nowhere" | "here" | "anywhere";

/**
 * How far the text of a file may go that an editor has sent of its own accord. Secrets go nowhere; what is ignored, or lies
 * outside of the workspace, where nobody can say whether it is, is told to no model.
 */
export async function fileReachOf(workspace: ThreadWorkspace, path: string): Promise<FileReach> {
	// No file has such a name, and nothing can be asked of it.
	if (path.includes("\0")) return "nowhere";
	try {
		if (await workspace.isSecret(path)) return "nowhere";
		return (await workspace.isIgnored(await workspace.resolve(path))) ? "here" : "anywhere";
	} catch (error) {
		if (error instanceof ToolError) return "here";
		throw error;
	}
}

/** The text of a file that may go anywhere. Throws an RpcError that says why it cannot be had. */
export async function textAt(workspace: ThreadWorkspace, path: string, signal: AbortSignal): Promise<string> {
	try {
		const place = await workspace.resolve(path);
		if (await workspace.isIgnored(place))
			throw invalidParams(`${place.name} is ignored, and is not read without its text.`);
		const text = await workspace.textOf(place, undefined, signal);
		if (text === undefined) throw invalidParams(`There is no file ${place.name}.`);
		return text;
	} catch (error) {
		if (error instanceof ToolError) throw invalidParams(error.message);
		throw error;
	}
}

export function invalidParams(why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, why);
}
