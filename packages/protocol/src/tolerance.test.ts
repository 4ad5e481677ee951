import { expect, test } from "vitest";
import * as acp from "./acp/index.js";
import * as eca from "./eca/index.js";
import * as lsp from "./lsp/index.js";
import * as threads from "./threads/index.js";

const NUL = "/a\0b";
const session = { cwd: NUL, mcpServers: [] };

test.each<[string, { params: { safeParse(value: unknown): { success: boolean } } }, object]>([
	["session/new", acp.newSession as never, session],
	["session/load", acp.loadSession as never, { ...session, sessionId: "s" }],
	["session/resume", acp.resumeSession as never, { ...session, sessionId: "s" }],
	["session/new, in an additional directory", acp.newSession as never, { cwd: "/", additionalDirectories: ["/", NUL] }],
	["session/list", acp.listSessions as never, { cwd: NUL }],
	["nes/start", acp.nesStart as never, { workspaceUri: `file://${NUL}` }],
	["nes/start, percent-encoded", acp.nesStart as never, { workspaceUri: "file:///a%00b" }],
	[
		"nes/start, in a workspace folder",
		acp.nesStart as never,
		{ workspaceFolders: [{ uri: "file:///a%00b", name: "" }] },
	],
	["terminal/create", acp.createTerminal as never, { sessionId: "s", command: "ls", cwd: NUL }],
	["fs/read_text_file", acp.readTextFile as never, { sessionId: "s", path: NUL }],
	["fs/write_text_file", acp.writeTextFile as never, { sessionId: "s", path: NUL, content: "" }],
	["ECA's initialize", eca.initialize as never, { workspaceFolders: [{ uri: "file:///a%00b", name: "" }] }],
	["LSP's initialize", lsp.initialize as never, { rootUri: "file:///a%00b" }],
	[
		"LSP's initialize, in a workspace folder",
		lsp.initialize as never,
		{ workspaceFolders: [{ uri: "file:///a%00b" }] },
	],
	[
		"workspace/didChangeWorkspaceFolders",
		lsp.didChangeWorkspaceFolders as never,
		{ event: { added: [{ uri: `file://${NUL}`, name: "" }], removed: [] } },
	],
	["threads' readTextFile", threads.readTextFile as never, { threadId: "t", path: NUL }],
])("rejects a NUL character in a path: %s", (_, { params }, value) => {
	expect(params.safeParse(value).success).toBe(false);
	const without = JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "").replaceAll("%00", ""));
	expect(params.safeParse(without)).toMatchObject({ success: true });
});
