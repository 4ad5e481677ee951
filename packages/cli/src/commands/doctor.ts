import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";

export function addDoctor(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("doctor")
		.description("check that everything works: Node, configuration, threads, keys, and the chosen models")
		.allowExcessArguments(false)
		.option("--json", "print what was found as JSON")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue doctor\n  $ SEGUE_NEXT_EDIT_MODEL=codestral/codestral-latest segue doctor\n\nThe models are asked about a file that is made up: nothing of yours is sent. The exit code is 1 where something fails.",
		)
		.action(async (options: { json?: boolean }) => {
			const { examineHere } = await import("../doctor/doctor.js");
			await examineHere(options, process);
		});
}
