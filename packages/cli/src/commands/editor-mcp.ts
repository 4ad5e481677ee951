import type { Command } from "commander";

/** Other agents start this MCP server to query the editor that is connected to Segue. Users don't run it. */
export function addEditorMcp(program: Command, version: string): Command {
	return program
		.command("editor-mcp", { hidden: true })
		.description("Give another agent access to the connected editor over MCP. Segue starts this.")
		.argument("<address>", "socket of the process that the editor is connected to")
		.action(async (address: string) => {
			const { serveEditorMcp } = await import("@segue/server/editor-mcp/editor-mcp");
			await serveEditorMcp(address, process.env["SEGUE_EDITOR_TOKEN"] ?? "", version);
		});
}
