import { fileURLToPath } from "node:url";
import type { ThreadWorkspace } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import { ErrorCode, RpcError } from "@segue/rpc";

/** Converts a path sent by an editor, which may be a URI. Returns undefined for a remote file. */
export function pathFromEditor(pathOrUri: string): string | undefined {
	if (!/^file:/i.test(pathOrUri)) return pathOrUri;
	try {
		return fileURLToPath(pathOrUri);
	} catch {
		return undefined;
	}
}

/** Where the text of a file may be used: nowhere, only on this machine, or also in requests to models. */
export type FileReach = "nowhere" | "here" | "anywhere";

/**
 * Returns where the text of a file sent by the editor may be used. Secret files must not be used at all. Ignored files
 * are not sent to models, and neither are files outside the workspace, because their ignore rules are unknown.
 */
export async function fileReachOf(workspace: ThreadWorkspace, path: string): Promise<FileReach> {
	// A file with this path cannot exist, and Node's file system calls would throw.
	if (path.includes("\0")) return "nowhere";
	try {
		if (await workspace.isSecret(path)) return "nowhere";
		return (await workspace.isIgnored(await workspace.resolve(path))) ? "here" : "anywhere";
	} catch (error) {
		if (error instanceof ToolError) return "here";
		throw error;
	}
}

/** Reads a file that may be sent to models. Throws an RpcError that explains why the file cannot be read. */
export async function textAt(workspace: ThreadWorkspace, path: string, signal: AbortSignal): Promise<string> {
	try {
		const place = await workspace.resolve(path);
		if (await workspace.isIgnored(place))
			throw invalidParams(`${place.name} is ignored. Send its text with the request.`);
		const text = await workspace.textOf(place, undefined, signal);
		if (text === undefined) throw invalidParams(`File not found: ${place.name}`);
		return text;
	} catch (error) {
		if (error instanceof ToolError) throw invalidParams(error.message);
		throw error;
	}
}

export function invalidParams(why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, why);
}
