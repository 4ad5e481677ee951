import { spawn } from "node:child_process";
import { chooseAgent } from "@segue/agent/chat/agent-choice";
import { readConfiguration } from "@segue/agent/config/configuration";
import { Refusal, refusing } from "@segue/agent/config/refusal";

/** Runs another agent in the terminal that we are in, for somebody to sign in there. Ends as the agent does. */
export async function signInToAgentHere(said: string | undefined, args: readonly string[]): Promise<void> {
	const { env, stderr } = process;
	let ended = 0;
	const refused = await refusing(stderr, async () => {
		const agent = chooseAgent(said ?? "", readConfiguration({ folder: process.cwd(), env, flags: {} }));
		ended = await new Promise<number>((resolve, reject) => {
			const child = spawn(agent.command, [...agent.args, ...args], { stdio: "inherit" });
			child.on("error", (error) => reject(new Refusal(`${agent.name} could not be started: ${error.message}.`)));
			child.on("exit", (code) => resolve(code ?? 1));
		});
	});
	process.exitCode = refused || ended;
}
