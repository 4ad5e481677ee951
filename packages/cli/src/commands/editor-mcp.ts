import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import { writeMessage } from "../terminal/message.js";

/** Other agents start this MCP server to query the editor that is connected to Segue. Users don't run it. */
export function addEditorMcp(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("editor-mcp", { hidden: true })
		.description("Give another agent access to the connected editor over MCP. Segue starts this.")
		.argument("<address>", "socket of the process that the editor is connected to")
		.action(async (address: string) => {
			const { serveEditorMcp } = await import("@segue/server/editor-mcp/editor-mcp");
			try {
				await serveEditorMcp(address, process.env["SEGUE_EDITOR_TOKEN"] ?? "", version);
			} catch {
				writeMessage(
					process.stderr,
					`Cannot connect to the editor at ${sanitizeName(address)}. Segue starts this command itself, while an editor is connected.`,
				);
				process.exitCode = 1;
			}
		});
}
