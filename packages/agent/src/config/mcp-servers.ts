import { sanitizeName } from "@segue/text";
import { applyEdits, createScanner, findNodeAtLocation, modify, type Node, parseTree } from "jsonc-parser";
import { readText, replaceText } from "./file.js";
import { type JsonPath, readJson } from "./json.js";
import { type ConfigurationFile, configurationFile } from "./keys.js";
import { UserError } from "./user-error.js";

/** A server's entry in the configuration. */
export type McpServerEntry = NonNullable<ConfigurationFile["mcpServers"]>[string];

/**
 * Adds a server to the user's file. Writes only the fields that the entry has. If it throws a `UserError`, nothing was
 * written.
 */
export function addMcpServer(file: string, name: string, entry: McpServerEntry): void {
	edit(file, (servers) => {
		if (Object.hasOwn(servers, name))
			throw new UserError(`${sanitizeName(file)} already has an MCP server ${sanitizeName(name)}.`);
		return [[["mcpServers", name], entry]];
	});
}

/** Changes these fields of a server in the user's file. A command replaces a URL, and a URL replaces a command. */
export function updateMcpServer(file: string, name: string, fields: McpServerEntry): void {
	edit(file, (servers) => {
		const entry = servers[name] ?? refuseUnknown(file, name);
		const others: readonly (keyof McpServerEntry)[] =
			fields.url !== undefined ? ["command", "args", "env"] : fields.command !== undefined ? ["url", "headers"] : [];
		const removed = others.filter((field) => Object.hasOwn(entry, field)).map((field) => [field, undefined] as const);
		return [...removed, ...Object.entries(fields)].map(([field, value]) => [["mcpServers", name, field], value]);
	});
}

export function removeMcpServer(file: string, name: string): void {
	edit(file, (servers) => {
		if (!Object.hasOwn(servers, name)) refuseUnknown(file, name);
		return [[["mcpServers", name], undefined]];
	});
}

type Edit = readonly [path: JsonPath, value: unknown];

/** Edits the text instead of rewriting the file, to keep comments and the order of settings. */
function edit(file: string, change: (servers: Readonly<Record<string, McpServerEntry>>) => readonly Edit[]): void {
	const before = readText(file);
	const read = (text: string) => {
		const { value, problems } = readJson(file, text, configurationFile);
		if (problems !== undefined) throw new UserError(problems.join("\n"));
		return value;
	};
	const servers = before === undefined ? {} : (read(before).mcpServers ?? {});
	const after = change(servers).reduce((text, [path, value]) => {
		if (value === undefined) return withoutField(text, path);
		const formattingOptions = {
			insertSpaces: !/^\t/m.test(text),
			tabSize: 2,
			eol: text.includes("\r\n") ? "\r\n" : "\n",
		};
		return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
	}, before ?? "{}\n");
	read(after);
	replaceText(file, before, after);
}

/** Removes a field with its comma, and its line if that becomes empty. `modify` would leave the comma in some cases. */
function withoutField(text: string, path: JsonPath): string {
	const field = findNodeAtLocation(parseTree(text, [], { allowTrailingComma: true }) as Node, [...path])?.parent;
	if (field === undefined) return text;
	const siblings = field.parent?.children ?? [];
	const before = siblings[siblings.indexOf(field) - 1];
	const to = field.offset + field.length;
	const comma = commaFrom(text, to) ?? (before && commaFrom(text, before.offset + before.length));
	const lineFrom = text.lastIndexOf("\n", field.offset) + 1;
	const lineEnd = text.indexOf("\n", to);
	const lineTo = lineEnd < 0 ? text.length : lineEnd + 1;
	const restOfLine = text.slice(lineFrom, field.offset) + text.slice(to, lineTo);
	const isAlone = restOfLine.replace(",", "").trim() === "";
	const [from, end] = isAlone ? [lineFrom, lineTo] : [field.offset, to];
	const isOutside = comma !== undefined && (comma < from || comma >= end);
	return applyEdits(text, [
		{ offset: from, length: end - from, content: "" },
		...(isOutside ? [{ offset: comma, length: 1, content: "" }] : []),
	]);
}

/** The offset of the next token if it is a comma, ignoring spaces and comments. */
function commaFrom(text: string, from: number): number | undefined {
	const scanner = createScanner(text, true);
	scanner.setPosition(from);
	scanner.scan();
	const at = scanner.getTokenOffset();
	return text[at] === "," ? at : undefined;
}

function refuseUnknown(file: string, name: string): never {
	throw new UserError(`${sanitizeName(file)} has no MCP server ${sanitizeName(name)}.`);
}
