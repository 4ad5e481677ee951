import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { AgentCommand } from "@segue/assist";
import type { EnvironmentVariables } from "../config/user-files.js";

/** Agents that support ACP over stdio, and the arguments that enable it. */
const KNOWN: readonly AgentCommand[] = [
	{ name: "auggie", command: "auggie", args: ["--acp"] },
	{ name: "claude", command: "claude-agent-acp", args: [] },
	{ name: "codex", command: "codex-acp", args: [] },
	{ name: "copilot", command: "copilot", args: ["--acp"] },
	{ name: "cursor", command: "cursor-agent", args: ["acp"] },
	{ name: "droid", command: "droid", args: ["exec", "--output-format", "acp"] },
	{ name: "gemini", command: "gemini", args: ["--acp"] },
	{ name: "goose", command: "goose", args: ["acp"] },
	{ name: "iflow", command: "iflow", args: ["--experimental-acp"] },
	{ name: "kimi", command: "kimi", args: ["acp"] },
	{ name: "kiro", command: "kiro-cli-chat", args: ["acp"] },
	{ name: "opencode", command: "opencode", args: ["acp"] },
	{ name: "pi", command: "pi-acp", args: [] },
	{ name: "qoder", command: "qodercli", args: ["--acp"] },
	{ name: "qwen", command: "qwen", args: ["--acp"] },
];

export function knownAgent(name: string): AgentCommand | undefined {
	return KNOWN.find((agent) => agent.name === name);
}

/** Finds installed agents in PATH, without starting them. */
export function lookForAgents(env: EnvironmentVariables): {
	found: (AgentCommand & { readonly file: string })[];
	missing: string[];
} {
	const found: (AgentCommand & { readonly file: string })[] = [];
	const missing: string[] = [];
	for (const agent of KNOWN) {
		const file = programIn(env, agent.command);
		if (file === undefined) missing.push(agent.name);
		else found.push({ ...agent, file });
	}
	return { found, missing };
}

function programIn(env: EnvironmentVariables, command: string): string | undefined {
	const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
	const endings = process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD").split(";") : [""];
	for (const folder of folders) {
		for (const ending of endings) {
			const file = path.join(folder, command + ending);
			if (isProgram(file)) return file;
		}
	}
	return undefined;
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
