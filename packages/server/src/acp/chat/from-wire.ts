import path from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServer, PromptPart } from "@segue/assist";
import type { ChatModel } from "@segue/models";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import { isSecretUri, schemeOf } from "@segue/text";

/** Converts a prompt. Throws an `RpcError` for audio and for binary data other than images. */
export function promptPartsOf(blocks: readonly acp.ContentBlock[]): PromptPart[] {
	return blocks.map(partOf);
}

/** Throws an `RpcError` if the prompt has images and the model does not support them. */
export function refuseImages(parts: readonly PromptPart[], { name, takesImages }: ChatModel): void {
	const index = parts.findIndex((part) => part.type === "image");
	if (index < 0 || takesImages) return;
	throw refusal(index, `${name} does not support images; choose another model or remove the image`);
}

function partOf(block: acp.ContentBlock, index: number): PromptPart {
	switch (block.type) {
		case "text":
			return { type: "text", text: block.text };
		case "image":
			return { type: "image", mediaType: block.mimeType, base64: block.data };
		case "audio":
			throw refusal(index, "audio is not supported; use text");
		case "resource_link":
			return linkOf(block.uri, block.title ?? block.name);
		case "resource": {
			const { resource } = block;
			if ("text" in resource) return resourceOf(resource.uri, resource.text);
			return blobOf(resource.uri, resource.blob, resource.mimeType ?? undefined, index);
		}
	}
}

function linkOf(uri: string, name: string): PromptPart {
	const file = fileOf(uri);
	if (file === undefined) return { type: "text", text: `[${name}](${uri})` };
	return { type: "file", ...file, content: undefined };
}

/**
 * A URI with a scheme that only the editor understands counts as a file, because the engine decides which files the
 * model may see.
 */
function resourceOf(uri: string, text: string): PromptPart {
	const file = fileOf(uri);
	if (file === undefined && NOT_OF_FILES.includes(schemeOf(uri) ?? "")) {
		return { type: "excerpt", label: uri, content: text };
	}
	return { type: "file", ...(file ?? { path: uri, lines: undefined }), content: text, isEmbedded: true };
}

// The schemes of unsaved documents and of web pages that the editor has fetched.
const NOT_OF_FILES = ["untitled", "http", "https"];

function blobOf(uri: string, base64: string, mediaType: string | undefined, index: number): PromptPart {
	if (mediaType?.startsWith("image/")) return { type: "image", mediaType, base64 };
	const bytes = Buffer.from(base64, "base64");
	try {
		return resourceOf(uri, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		throw refusal(index, "the data is neither an image nor UTF-8 text");
	}
}

/**
 * Returns the path of a file and the line range that editors append as `#L10`, `#L10-20` or `#L10-L20`. A URI without a
 * scheme is a path. A URI that ends with the name of a secret file counts as a file regardless of its scheme, so that
 * the engine excludes it.
 */
function fileOf(uri: string): Pick<PromptPart & { type: "file" }, "path" | "lines"> | undefined {
	const scheme = schemeOf(uri);
	if (scheme !== "file" && scheme !== undefined) return isSecretUri(uri) ? { path: uri, lines: undefined } : undefined;
	const [, address = uri, first, last = first] = LINES.exec(uri) ?? [];
	try {
		const lines = first === undefined ? undefined : { first: Number(first), last: Number(last) };
		return { path: scheme === "file" ? fileURLToPath(address) : address, lines };
	} catch {
		// Not a local file, for example because the URI has a host.
		return undefined;
	}
}

const LINES = /^(.*?)#L(\d{1,9})(?::\d+)?(?:-L?(\d{1,9})(?::\d+)?)?$/s;

function refusal(index: number, why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.prompt[${index}]: ${why}`);
}

/**
 * Converts a prompt for an external agent to the parts that the thread stores, one per block. Other agents may not
 * support audio and binary resources, so only their type or name is stored.
 */
export function storedPartsOf(blocks: readonly acp.ContentBlock[]): PromptPart[] {
	return promptPartsOf(
		blocks.map((block): acp.ContentBlock => {
			if (block.type === "audio") return { type: "text", text: `(${block.mimeType})` };
			if (block.type !== "resource" || "text" in block.resource) return block;
			const { uri } = block.resource;
			return { type: "resource_link", uri, name: uri };
		}),
	);
}

/** Whether only some agents support the block. */
export function isMoreThanText({ type }: acp.ContentBlock): boolean {
	return type !== "text" && type !== "resource_link";
}

/** A session's folders and MCP servers. */
export interface SessionWorkspace {
	/** Absolute paths: the main folder, then any additional ones. */
	readonly folders: readonly [string, ...string[]];
	readonly mcpServers: readonly McpServer[];
}

export function sessionWorkspaceOf({ cwd, additionalDirectories, mcpServers }: acp.NewSession): SessionWorkspace {
	const others = additionalDirectories ?? [];
	for (const [name, folder] of [["cwd", cwd], ...others.map((each) => ["additionalDirectories", each] as const)]) {
		if (!path.isAbsolute(folder ?? "")) {
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.${name}: must be an absolute path`);
		}
	}
	return { folders: [cwd, ...others], mcpServers: (mcpServers ?? []).map(mcpServerOf) };
}

function mcpServerOf(server: NonNullable<acp.NewSession["mcpServers"]>[number]): McpServer {
	const { name } = server;
	if ("command" in server) {
		return { name, type: "stdio", command: server.command, args: server.args, env: pairsOf(server.env) };
	}
	if (server.type !== "http") {
		const why = `${name} has the unsupported type ${server.type}; use stdio or http`;
		throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.mcpServers: ${why}`);
	}
	return { name, type: "http", url: server.url, headers: pairsOf(server.headers) };
}

function pairsOf(list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
	return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}
