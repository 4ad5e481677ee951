import type { Command } from "commander";

/** What another agent starts to ask the editor that is connected to us; nobody types it. */
export function addEditorMcp(program: Command, version: string): Command {
	return program
		.command("editor-mcp", { hidden: true })
		.argument("<address>", "where the process that has the editor answers")
		.action(async (address: string) => {
			const { serveEditorMcp } = await import("@segue/server/editor-mcp/editor-mcp");
			await serveEditorMcp(address, process.env["SEGUE_EDITOR_TOKEN"] ?? "", version);
		});
}
