import type { Command } from "commander";

/** Other agents start this MCP server to query the editor that is connected to Segue. It is not for users. */
export function addEditorMcp(program: Command, version: string): Command {
	return program
		.command("editor-mcp", { hidden: true })
		.description("Serve the connected editor to another agent over MCP. Started by Segue.")
		.argument("<address>", "socket of the process that the editor is connected to")
		.action(async (address: string) => {
			const { serveEditorMcp } = await import("@segue/server/editor-mcp/editor-mcp");
			await serveEditorMcp(address, process.env["SEGUE_EDITOR_TOKEN"] ?? "", version);
		});
}
