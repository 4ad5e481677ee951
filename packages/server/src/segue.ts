import { Command, InvalidArgumentError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import type { TrustOptions } from "./configuration/consent.js";
import type { EcaCommandOptions } from "./eca/here.js";
import type { EvalOptions } from "./eval/eval.js";
import type { ReplayOptions } from "./inspect/replay.js";
import type { StatsOptions } from "./stats/stats.js";
import type { ServeOptions } from "./stdio.js";
import type { ChatOptions } from "./terminal/chat.js";
import type { RecentOptions } from "./why/recent.js";
import type { WhyOptions } from "./why/why.js";

// A reader that has seen enough, as in `segue help | head -1`, is no reason to complain.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
	process.exit(0);
});

const program: Command = new Command("segue")
	.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
	.version(manifest.version, "-V, --version", "print the version")
	.helpOption("-h, --help", "show this help")
	.helpCommand("help [command]", "show this help, or a command's")
	.configureOutput({
		outputError: (text, write) => write(`${text.replace(/\.?\s*$/, "")}. What segue can do: segue help\n`),
	})
	.allowExcessArguments()
	.enablePositionalOptions()
	.action(() => {
		const [unknown] = program.args;
		if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
		program.help();
	})
	.addHelpText(
		"after",
		"\nExamples:\n  $ segue acp         what an editor starts\n  $ segue eca         what an editor of ECA starts\n  $ segue chat        talk with a model about this folder\n  $ segue --version   print the version",
	);

program
	.command("acp")
	.description("serve an editor over ACP, on standard input and output")
	.allowExcessArguments(false)
	.addOption(
		new Option("--sync <how>", "how the editor tells of its documents")
			.choices(["events", "context", "both"])
			.default("events"),
	)
	.option("--agent <name or command>", "another ACP agent that answers in chat; segue agents lists them")
	.option("--next-edit-model <provider/model>", "a model that writes next edits; embedded for none")
	.addOption(withCode())
	// What an editor appends for somebody to sign in, where we have told it so.
	.addOption(new Option("--login <provider>", "sign in to a provider of models, and end").hideHelp())
	.addHelpText(
		"after",
		'\nExamples:\n  $ segue acp --sync both\n  $ segue acp --agent "gemini --acp"\n  $ segue acp --next-edit-model ollama/zeta',
	)
	.addOption(new Option("--sign-in <arguments>", "sign in to the agent, and end").argParser(readArguments).hideHelp())
	.action(async ({ login, signIn, ...options }: ServeOptions & { login?: string; signIn?: readonly string[] }) => {
		if (signIn !== undefined) {
			const { signInToAgentHere } = await import("./agents/sign-in.js");
			await signInToAgentHere(options.agent, signIn);
			return;
		}
		if (login !== undefined) {
			const { logInHere } = await import("./configuration/login.js");
			await logInHere(login);
			return;
		}
		const { serveAcpHere } = await import("./stdio.js");
		await serveAcpHere(options, manifest.version);
	});

program
	.command("threads")
	.description("serve an editor over the thread draft, ACP's first form, on standard input and output")
	.allowExcessArguments(false)
	.option("--agent <name or command>", "another ACP agent that answers; segue agents lists them")
	.addHelpText(
		"after",
		'\nExamples:\n  $ segue threads\n  $ segue threads --agent "gemini --acp"\n\nThreads are about the folder that it is started in. Nobody can be asked to allow anything there: see approvals in the\nconfiguration, which segue config shows.',
	)
	.action(async (options: { agent?: string }) => {
		const { serveThreadsHere } = await import("./threads/here.js");
		await serveThreadsHere(options);
	});

program
	.command("eca")
	.description("serve an editor over ECA, on standard input and output")
	.argument("[words...]", "what editors say to other servers of ECA, such as server; it makes no difference")
	.allowUnknownOption()
	.addOption(
		new Option("--protocol <form>", "the form of the protocol, where the editor does not make it clear").choices([
			"2025-06-09",
			"current",
			"merged",
		]),
	)
	.option("--agent <name or command>", "an ACP agent that answers instead of a model; segue agents lists them")
	.addHelpText(
		"after",
		`
Examples:
  $ segue eca                             what an editor starts
  $ segue eca server --log-level debug    as editors of ECA start theirs: words and options of others are passed over
  $ segue eca --agent "gemini --acp"      an ACP agent for editors that speak ECA
  $ segue eca --protocol 2025-06-09       for an editor of the first days

The exit code is 0 when the editor says exit or is gone, and 1 when it no longer reads.`,
	)
	.action(async (_words: string[], { protocol, agent }: EcaCommandOptions) => {
		const { serveEcaHere } = await import("./eca/here.js");
		await serveEcaHere({ ...(protocol && { protocol }), ...(agent && { agent }) }, manifest.version);
	});

program
	.command("chat")
	.description("talk with a model about a folder, and let it work there")
	.argument("[question...]", "for one turn; without it, a conversation")
	.option("--model <provider/model>", "another model than the configured one")
	.addOption(
		new Option(
			"--agent <name or command>",
			"another ACP agent that answers instead of a model; segue agents lists them",
		).conflicts(["model", "mode", "effort"]),
	)
	.addOption(
		new Option("--mode <how>", "answer without changing anything, do the work, or make a plan").choices([
			"ask",
			"edit",
			"plan",
		]),
	)
	.addOption(new Option("--effort <how much>", "how much the model thinks").choices(["low", "medium", "high"]))
	.option("--folder <path>", "what it is about, instead of the present folder")
	.option("--allow <kind:pattern>", "allow something beforehand, as edit:src/**; more than once if need be", gather)
	.option("--json", "print one JSON object for each thing that happens, and at last how it ended")
	.addOption(new Option("--resume", "go on with the last thread of the folder").conflicts("thread"))
	.option("--thread <id>", "go on with this one; the beginning of its id is enough")
	.addOption(errand("--list", "list the threads of the folder, newest first"))
	.addOption(errand("--search <text>", "list those that hold a text"))
	.option("--all", "list those of every folder")
	.addOption(errand("--show <id>", "print a thread"))
	.addOption(errand("--rename <id>", "call a thread otherwise: the title follows"))
	.addOption(errand("--delete <id>", "delete a thread"))
	.addOption(errand("--export <id>", "print a thread as JSON, for --import"))
	.addOption(errand("--import <file>", "take in a thread that was exported, for the folder; - is standard input"))
	.addHelpText(
		"after",
		`
Examples:
  $ segue chat                                     talk; Ctrl-C stops a turn, Ctrl-D leaves
  $ segue chat "What does this project do?"        one turn
  $ git diff | segue chat "Review this"            with what is piped in
  $ segue chat --mode plan "Split app.ts in two"   change nothing yet
  $ segue chat --resume "Now do it" --allow 'edit:src/**' --allow 'command:npm test'
  $ segue chat --json "Name three risks" | jq -r 'select(.type == "end").reason'
  $ segue chat --agent gemini "Explain main.c"     another agent answers
  $ segue chat --list --all                        what was talked about
  $ segue chat --search "race condition"
  $ segue chat --thread 1f0c22aa                   go on with one of them
  $ segue chat --show 1f0c22aa
  $ segue chat --rename 1f0c22aa "The race in the cache"
  $ segue chat --export 1f0c22aa > thread.json
  $ segue chat --import thread.json
  $ segue chat --delete 1f0c22aa

Kinds of --allow: read-ignored, edit, delete (with a pattern of paths), command, network (exactly, or *), mcp.
The exit code is 0 when the turn was done, 1 when it was not or nobody could be asked to allow any of it, and 130 when it
was cancelled.`,
	)
	.action(async (words: string[], options: ChatOptions) => {
		const { chatHere } = await import("./terminal/chat.js");
		await chatHere(words, options);
	});

program
	.command("play")
	.description("try it in a browser: an editor with suggestions, an inspector of every message, and chat")
	.allowExcessArguments(false)
	.addOption(
		new Option("--port <number>", "where it listens; the next that is free where it is taken")
			.argParser(readPort)
			.default(4747),
	)
	.option("--agent <name or command>", "another ACP agent that answers in chat; segue agents lists them")
	.option("--next-edit-model <provider/model>", "a model that writes next edits; embedded for none")
	.addOption(withCode())
	.option("--no-open", "only print the address")
	.addHelpText("after", "\nExample:\n  $ segue play\n  $ SEGUE_MODEL=ollama/qwen3 segue play --port 8080")
	.action(async (options: PlayOptions) => {
		const { serveWeb } = await import("./serve/serve.js");
		process.exit(await serveWeb({ ...options, host: "127.0.0.1", version: manifest.version }));
	});

program
	.command("serve")
	.description("serve ACP over WebSocket at /acp, and the page of segue play at /")
	.allowExcessArguments(false)
	.addOption(
		new Option("--port <number>", "where it listens; the next that is free where it is taken")
			.argParser(readPort)
			.default(4747),
	)
	.option("--host <address>", "for other machines too, as 0.0.0.0; needs a token", "127.0.0.1")
	.option("--token <token>", "what clients have to know, instead of one that is made up and printed")
	.option("--agent <name or command>", "another ACP agent that answers in chat; segue agents lists them")
	.option("--next-edit-model <provider/model>", "a model that writes next edits; embedded for none")
	.addOption(withCode())
	.addHelpText(
		"after",
		'\nExample:\n  $ segue serve --port 8080\n  $ segue serve --host 0.0.0.0 --token "$(openssl rand -hex 24)"\n\nA client names two WebSocket protocols: segue.acp, and segue.token.TOKEN. GET /healthz tells whether it runs.',
	)
	.action(async (options: Omit<PlayOptions, "open"> & { host: string; token?: string }) => {
		const { serveWeb } = await import("./serve/serve.js");
		process.exit(await serveWeb({ ...options, open: false, version: manifest.version }));
	});

program
	.command("inspect")
	.description("stand between an editor and an agent: pass everything on, write it down, and show it in a page")
	.argument("<command...>", "the agent, as the editor would start it; after --")
	.option("--trace <file>", "where to write every message, as JSON lines with secrets masked")
	.addOption(
		new Option("--port <number>", "where the page is; the next that is free where it is taken")
			.argParser(readPort)
			.default(4748),
	)
	.option("--no-page", "serve no page")
	.passThroughOptions()
	.addHelpText(
		"after",
		"\nExample, as the agent's command in an editor's settings:\n  $ segue inspect --trace acp.jsonl -- segue acp\n  $ segue inspect --trace eca.jsonl -- eca server",
	)
	.action(async (command: [string, ...string[]], options: { trace?: string; port: number; page: boolean }) => {
		const { inspect } = await import("./inspect/inspect.js");
		process.exit(await inspect(command, { ...options, version: manifest.version }));
	});

program
	.command("replay")
	.description("play the editor of a trace against an agent, and tell what goes otherwise than it was recorded")
	.argument("<trace>", "a file that segue inspect has written, or the page has saved")
	.argument("<command...>", "the agent; after --")
	.addOption(
		new Option("--framing <how>", "how the agent tells messages apart")
			.choices(["lines", "content-length"])
			.default("lines"),
	)
	.option("--json", "print everything as JSON")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue replay acp.jsonl -- segue acp\n\nThe exit code is 0 where all is the same, 1 where something differs, and 2 where it cannot be played.",
	)
	.action(async (trace: string, command: [string, ...string[]], options: ReplayOptions) => {
		const { replay } = await import("./inspect/replay.js");
		process.exit(await replay(trace, command, options));
	});

program
	.command("agents")
	.description("list the ACP agents that can answer in chat: configured ones, and those found on this machine")
	.allowExcessArguments(false)
	.option("--json", "print them as JSON")
	.addHelpText(
		"after",
		'\nExample:\n  $ segue agents\n  $ segue chat --agent opencode "What does this project do?"\n\nNothing is started. SEGUE_AGENT=NAME stands for --agent NAME.',
	)
	.action(async (options: { json?: boolean }) => {
		const { listAgentsHere } = await import("./agents/list.js");
		listAgentsHere(options);
	});

program
	.command("eval")
	.description("replay commits on the embedded engine, and tell how good its suggestions are")
	.argument("<cases>", "a file of cases: .jsonl, or .jsonl.br")
	.allowExcessArguments(false)
	.addOption(
		new Option(
			"--mode <how>",
			"make every step of a commit, accept what is right and reject the rest, or type its lines and complete them",
		)
			.choices(["forced", "interactive", "completion"])
			.default("forced"),
	)
	.option("--limit <n>", "replay only the first so many cases", readCount)
	.option("--json", "print everything as JSON: figures, and what happened in each state")
	.option("--diff <old.json>", "list what got better and worse since a run with --json")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue eval cases.jsonl --json > old.json   before a change\n  $ segue eval cases.jsonl --diff old.json    after it",
	)
	.action(async (cases: string, options: EvalOptions) => {
		const { evaluateHere } = await import("./eval/eval.js");
		await evaluateHere(cases, options);
	});

program
	.command("why")
	.description("tell what was considered for the last requests of running servers, or in stories, and why")
	.argument("[files...]", "files of stories, as *.story.md, to be played on the embedded engine")
	.addOption(new Option("--server <pid>", "the requests of one server alone").argParser(readCount))
	// As much as somebody reads who wonders about what just happened.
	.addOption(new Option("--last <n>", "so many requests of each server").argParser(readCount).default(5))
	.option("--json", "print JSON: the likeliest candidates of each request, or every one in stories, with features")
	.addHelpText(
		"after",
		`
Examples:
  $ segue why                              what servers that run on this machine were asked last
  $ segue why --server 4242 --last 20
  $ segue why stories/rename.story.md      what the embedded engine thinks in a story

Servers write down nothing of what your documents hold, nor where they are, unless they were started with --with-code.
With --json, a candidate in a story has all its features; of a server, the three likeliest have those that are not 0.
The exit code is 1 where no server runs, or where a story goes otherwise than it is drawn.`,
	)
	.action(async (files: string[], options: RecentOptions & WhyOptions, command: Command) => {
		if (files.length === 0) {
			const { explainRecentHere } = await import("./why/recent.js");
			await explainRecentHere(options);
			return;
		}
		const misplaced = ["server", "last"].find((name) => command.getOptionValueSource(name) === "cli");
		if (misplaced !== undefined) {
			program.error(`error: --${misplaced} is about running servers: leave it out, or the files of stories`);
		}
		const { explainHere } = await import("./why/why.js");
		await explainHere(files, options);
	});

program
	.command("stats")
	.description("show how often suggestions were accepted, by source, model and language")
	.allowExcessArguments(false)
	.option("--since <time>", "how far back, as 12h, 7d or 4w; all that is kept where it is left out")
	.addOption(new Option("--json", "print them as JSON").conflicts(["export", "clear"]))
	.addOption(new Option("--export <file>", "write what is known of each suggestion, as JSON lines").conflicts("clear"))
	.addOption(new Option("--clear", "forget all of it").conflicts("since"))
	.option("--yes", "ask no question, for scripts")
	.addHelpText(
		"after",
		`
Examples:
  $ segue stats --since 7d
  $ segue stats --export feedback.jsonl
  $ segue stats --clear

It is kept on this machine alone and says nothing of what your documents hold, nor where they are. Nothing more is kept with
"feedback": false in the configuration.`,
	)
	.action(async (options: StatsOptions) => {
		const { statsHere } = await import("./stats/stats.js");
		await statsHere(options);
	});

program
	.command("config")
	.description("show the configuration that holds in this folder, and where each value is from")
	.allowExcessArguments(false)
	.option("--json", "print it as JSON")
	.addHelpText(
		"after",
		"\nExample:\n  $ SEGUE_MODEL=ollama/qwen3 segue config\n\nKeys are never shown. The exit code is 1 where something is wrong.",
	)
	.action(async (options: { json?: boolean }) => {
		const { showConfigurationHere } = await import("./configuration/show.js");
		await showConfigurationHere(options);
	});

program
	.command("models")
	.description("list the models that are configured, for next edits and for chat: format, address, key or none")
	.allowExcessArguments(false)
	.option("--json", "print them as JSON")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue models\n  $ SEGUE_NEXT_EDIT_MODEL=ollama/qwen2.5-coder:7b segue models\n\nNobody is asked, and no key is shown. segue doctor tries those that are chosen.",
	)
	.action(async (options: { json?: boolean }) => {
		const { listModelsHere } = await import("./configuration/list.js");
		listModelsHere(options);
	});

program
	.command("doctor")
	.description("check that everything works: Node, configuration, threads, keys, and the chosen models")
	.allowExcessArguments(false)
	.option("--json", "print what was found as JSON")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue doctor\n  $ SEGUE_NEXT_EDIT_MODEL=codestral/codestral-latest segue doctor\n\nThe models are asked about a file that is made up: nothing of yours is sent. The exit code is 1 where something fails.",
	)
	.action(async (options: { json?: boolean }) => {
		const { examineHere } = await import("./doctor/doctor.js");
		await examineHere(options);
	});

program
	.command("login")
	.description("store the key for a provider of models; it is asked for, or read from standard input")
	.argument("<provider>", "anthropic, openai, openrouter, codestral, inception, or any other that segue models lists")
	.allowExcessArguments(false)
	.addHelpText("after", "\nExample:\n  $ segue login anthropic\n  $ pass show anthropic | segue login anthropic")
	.action(async (provider: string) => {
		const { logInHere } = await import("./configuration/login.js");
		await logInHere(provider);
	});

program
	.command("logout")
	.description("forget the key that segue login has stored for a provider")
	.argument("<provider>", "as it was logged in to")
	.allowExcessArguments(false)
	.addHelpText("after", "\nExample:\n  $ segue logout anthropic")
	.action(async (provider: string) => {
		const { logOutHere } = await import("./configuration/login.js");
		await logOutHere(provider);
	});

program
	.command("trust")
	.description("let a project's .segue.json start commands, name addresses and allow what would be asked for")
	.argument("[folder]", "the project's; the present one where it is left out")
	.allowExcessArguments(false)
	.addOption(new Option("--list", "list the folders that are trusted").conflicts("remove"))
	.addOption(new Option("--remove", "trust it no longer").conflicts("forget"))
	.addOption(new Option("--forget", "ask again for what was always allowed in it").conflicts("list"))
	.option("--yes", "ask no question, for scripts")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue trust ~/src/app\n  $ segue trust --forget ~/src/app\n\nTrust is in what the file says now: when that changes, it has to be given again.",
	)
	.action(async (folder: string | undefined, options: TrustOptions) => {
		const { trustHere } = await import("./configuration/consent.js");
		await trustHere(folder, options);
	});

// What another agent starts to ask the editor that is connected to us; nobody types it.
program
	.command("editor-mcp", { hidden: true })
	.argument("<address>", "where the process that has the editor answers")
	.action(async (address: string) => {
		const { serveEditorMcp } = await import("./editor-mcp/serve.js");
		await serveEditorMcp(address, process.env["SEGUE_EDITOR_TOKEN"] ?? "", manifest.version);
	});

/** What a browser is served with. */
interface PlayOptions {
	readonly port: number;
	readonly agent?: string;
	readonly nextEditModel?: string;
	readonly withCode?: boolean;
	readonly open: boolean;
}

/** What servers write down for `segue why` is without it. */
function withCode(): Option {
	return new Option("--with-code", "let segue why show what suggestions would write, and in which files");
}

/** What is done with threads needs none of what a turn is taken with. */
function errand(flags: string, description: string): Option {
	return new Option(flags, description).conflicts(["resume", "thread", "model", "mode", "effort", "allow"]);
}

function readPort(said: string): number {
	const port = Number(said);
	if (!Number.isInteger(port) || port < 0 || port > 65_535)
		throw new InvalidArgumentError("It must be a number from 0 to 65535.");
	return port;
}

function readCount(said: string): number {
	const count = Number(said);
	if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number above 0.");
	return count;
}

/** A list of words in JSON, as we have told an editor to say it. */
function readArguments(said: string): readonly string[] {
	try {
		const words: unknown = JSON.parse(said);
		if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
	} catch {}
	throw new InvalidArgumentError("It must be a list of words in JSON.");
}

function gather(said: string, before: readonly string[] = []): string[] {
	return [...before, said];
}

await program.parseAsync();
