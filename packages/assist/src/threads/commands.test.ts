import { readFile } from "node:fs/promises";
import { ModelFailure } from "@segue/models";
import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "./commands.js";

const FILES = { "src/app.ts": "const Greeting = 'hi (you)';\n", "README.md": "# Greetings\n" };
const WHY = "There is no model yet. Set SEGUE_MODEL, or log in with segue login PROVIDER.";
const NO_MODEL = { models: { names: [], choose: () => ({ why: WHY }) } };

for (const text of ["Explain this", "/help"]) {
	test(`does not store a secret file attached to "${text}" if there is no model`, async () => {
		const chat = await ChatFixture.begin(NO_MODEL);
		const secret = { type: "file", path: `${chat.tools.root}/.env`, lines: undefined, content: "KEY=1" } as const;
		await chat.prompt([{ type: "text", text }, secret]);
		expect((await chat.entries())[0]?.body).toMatchObject({ parts: [{ text }, { path: secret.path }] });
		expect(JSON.stringify(await chat.entries())).not.toContain("KEY=1");
	});
}

for (const { command, reply } of [
	{ command: "/help", reply: /^info: \/help: Lists the commands\.\n(.*\n)*\/search TEXT: / },
	{ command: "  /HELP  ", reply: /^info: \/help/ },
	{ command: "/files", reply: /README\.md(.*\n)*.*src\/app\.ts/ },
	{ command: "/files app", reply: /^info: src\/app\.ts$/ },
	{ command: "/files *.md", reply: /^info: README\.md$/ },
	{ command: "/search greeting", reply: /src\/app\.ts/ },
	{ command: "/search hi (you)", reply: /src\/app\.ts/ },
	{ command: `/search ${"x".repeat(10_001)}`, reply: /^warning: Invalid search: / },
	{ command: "/search", reply: /^warning: Usage: \/search TEXT/ },
	{ command: "/conversations", reply: /^info: This workspace has no other conversations\.$/ },
	{ command: "/conversations nowhere", reply: /^info: No other conversation in this workspace contains "nowhere"\.$/ },
	{ command: "/model", reply: new RegExp(`^warning: ${WHY}$`) },
	{ command: "/why", reply: /^info: This conversation has no turns yet\.$/ },
	{ command: "/serach", reply: /^warning: Unknown command \/serach\. Did you mean \/search\?/ },
	{ command: "/serach for it", reply: /^warning: Unknown command \/serach\. Did you mean \/search\?/ },
	{
		command: "/nothing:like_it-2 x",
		reply: /^warning: Unknown command \/nothing:like_it-2\. Available: \/help, .*\/why\.$/,
	},
	{ command: "/resume", reply: /^info: This workspace has no other conversations\.$/ },
	{ command: "/compact", reply: new RegExp(`^warning: ${WHY}$`) },
	{ command: "/context", reply: new RegExp(`^warning: ${WHY}$`) },
	{ command: "/costs", reply: /^info: No tokens have been reported for this conversation yet\.$/ },
	{ command: "/doctor", reply: new RegExp(`^info: Segue .*\\n(.*\\n)*Model: none\\. ${WHY}\\n`) },
	{ command: "/fiels", reply: /Did you mean \/files\?/ },
]) {
	test(`responds to ${command.slice(0, 20)} without a model`, async () => {
		const chat = await ChatFixture.begin({ ...NO_MODEL, files: FILES });
		expect(await chat.prompt(command)).toBe("done");
		expect(await chat.lines()).toEqual([`prompt: ${command}`, expect.stringMatching(reply), "end: done"]);
		expect((await chat.assist.thread(chat.thread.id))?.title).toBe("");
	});
}

for (const text of [
	"/usr/bin is what?",
	"/etc is full, what can go?",
	"/ is what?",
	"/etc/hosts is wrong",
	"/* code */",
	"// a comment",
	"/README.md says what?",
	"/src holds what?",
	"/path: is what?",
	"What does /help do?",
	"/etc/hosts",
]) {
	test(`sends "${text}" to the model`, async () => {
		const chat = await ChatFixture.begin({ files: FILES, answers: [says("A path."), says("Again.")] });
		await chat.prompt(text);
		expect(chat.model.requests).toHaveLength(1);
		await chat.prompt("Go on");
		expect(JSON.stringify(chat.model.requests[1]?.messages)).toContain(`${JSON.stringify(text).slice(1, -1)}`);
	});
}

test("reports an unknown command even if the editor attached context", async () => {
	const chat = await ChatFixture.begin({});
	const cursor = { type: "excerpt", label: "The user's cursor", content: "a.ts, line 1" } as const;
	await chat.prompt([{ type: "text", text: "/serach" }, cursor]);
	expect(chat.model.requests).toEqual([]);
	expect((await chat.lines())[1]).toMatch(/Did you mean \/search/);
});

test.each(["/src", "/tmp"])("reports %s on its own as an unknown command, although the folder exists", async (text) => {
	const chat = await ChatFixture.begin({ files: FILES });
	await chat.prompt([
		{ type: "text", text },
		{ type: "excerpt", label: "Terminal", content: "$ ls" },
	]);
	expect(chat.model.requests).toEqual([]);
	expect((await chat.lines())[1]).toMatch(/^warning: Unknown command/);
});

test("/help describes every command", async () => {
	const chat = await ChatFixture.begin({});
	await chat.prompt("/help");
	const help = (await chat.lines())[1] ?? "";
	for (const { name, description } of COMMANDS) expect(help).toMatch(new RegExp(`/${name}\\b.*: ${description}`));
});

test("/conversations finds conversations by their content", async () => {
	const chat = await ChatFixture.begin({ answers: [says("A quagga is a zebra.")] });
	await chat.prompt("What is that animal?");
	chat.thread = await chat.assist.create(chat.tools.root);
	await chat.prompt("/conversations quagga");
	expect((await chat.lines()).at(-2)).toMatch(/What is that animal\?\n.*quagga/);
});

test("/export writes a new file that can be imported", async () => {
	const chat = await ChatFixture.begin({ answers: [says("Hi.")] });
	await chat.prompt("Say hi");
	await chat.prompt("/export kept.json");
	expect((await chat.lines()).at(-2)).toBe(`info: Exported to ${chat.tools.root}/kept.json.`);
	const kept = JSON.parse(await readFile(`${chat.tools.root}/kept.json`, "utf8"));
	const { id } = await chat.assist.importThread(kept, chat.tools.root);
	expect((await chat.assist.entries(id))[0]?.body).toEqual((await chat.entries())[0]?.body);
	await chat.prompt("/export kept.json");
	expect((await chat.lines()).at(-2)).toMatch(/^warning: Export failed: EEXIST.*Choose another file/);
});

test("/model lists the models and chooses one for later turns", async () => {
	const chat = await ChatFixture.begin({
		models: {
			names: ["test/first", "test/second"],
			choose: (name) =>
				name === "test/third" ? { why: "There is no model test/third." } : { ...NAMED, name: name ?? "test/first" },
		},
	});
	const replies = async (command: string) => {
		await chat.prompt(command);
		return (await chat.lines()).at(-2);
	};
	expect(await replies("/model")).toBe("info: The model is test/first.\n* test/first\n  test/second");
	expect(await replies("/model test/third")).toBe("warning: There is no model test/third.");
	expect(await replies("/model test/second")).toMatch(/now uses test\/second/);
	await chat.prompt("Hi");
	const prompts = (await chat.entries()).flatMap(({ body }) => (body.type === "prompt" ? [body.model] : []));
	expect(prompts.at(-1)).toBe("test/second");
});

const NAMED = {
	windowTokens: undefined,
	takesImages: false,
	stream: async function* () {
		yield { type: "end", reason: "done" } as const;
	},
};

test("/why explains the last turn, even if another process ran it", async () => {
	const usage = { inputTokens: 1000, outputTokens: 20, cachedTokens: undefined, costUsd: 0.25 };
	const retrying = { type: "retrying", afterMs: 1000, why: "Busy." } as const;
	const chat = await ChatFixture.begin({
		answers: [
			[retrying, ...calls(["read_file", { path: "none" }]), { type: "usage", usage }],
			[...calls(["run_command", { command: "true" }]), { type: "usage", usage }],
			says("Sorry."),
		],
		approve: async () => "no",
	});
	await chat.prompt("Do it");
	chat.assist = chat.newEngine();
	await chat.prompt("/help");
	await chat.prompt("/why");
	expect((await chat.lines()).at(-2)?.split("\n")).toEqual([
		"info: Model: test/first",
		"Steps: 3",
		"Calls: 2 (2 failed)",
		expect.stringMatching(/^ {2}Read none: none does not exist/),
		expect.stringMatching(/^ {2}.*: The user declined this/),
		"Approval for command true: no (by you)",
		"Tokens: 2000 input, 40 output",
		"Cost: $0.5000",
		"Notice: Busy. Trying again in 1 s.",
		"End: the model finished.",
	]);
});

test("/why counts all steps of a turn that was summarized", async () => {
	const list = calls(["list_directory", {}]);
	const tooLong = new ModelFailure("too-long", "Too long.");
	const chat = await ChatFixture.begin({ answers: [list, list, tooLong, says("In short."), says("Done.")] });
	await chat.prompt("Do it");
	await chat.prompt("/why");
	expect((await chat.lines()).at(-2)).toMatch(/\nSteps: 3\nCalls: 2\n/);
});

describe("/compact", () => {
	const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: undefined, costUsd: undefined };

	test("replaces the conversation with a summary for the model", async () => {
		const answers = [
			says("A zebra."),
			[...says("They spoke of a zebra."), { type: "usage", usage } as const],
			says("Yes."),
		];
		const chat = await ChatFixture.begin({ answers });
		await chat.prompt("What is that animal?");
		expect(await chat.prompt("/compact the stripes")).toBe("done");
		expect(JSON.stringify(chat.model.requests[1])).toMatch(/focus on this: the stripes.*What is that animal/);
		expect((await chat.lines()).slice(-4)).toEqual([
			expect.stringMatching(/^usage/),
			expect.stringMatching(/^summary/),
			"info: The model continues from this summary:\n\nThey spoke of a zebra.",
			"end: done",
		]);
		await chat.prompt("Go on");
		const sent = JSON.stringify(chat.model.requests[2]?.messages);
		expect(sent).toMatch(/They spoke of a zebra.*Go on/);
		expect(sent).not.toMatch(/What is that animal|compact/);
	});

	test.each([
		["there is nothing to summarize", [], /Nothing to summarize yet/],
		["the model returns nothing", [says("A zebra."), says("")], /did not return a summary\. Nothing has changed/],
		["the model fails", [says("A zebra."), new ModelFailure("unreachable", "It is gone.")], /It is gone\. Nothing has/],
	])("leaves the thread unchanged if %s", async (_when, answers, reply) => {
		const chat = await ChatFixture.begin({ answers });
		if (answers.length > 0) await chat.prompt("What is that animal?");
		expect(await chat.prompt("/compact")).toBe("done");
		expect((await chat.lines()).at(-2)).toMatch(reply);
		expect((await chat.entries()).map(({ body }) => body.type)).not.toContain("summary");
	});
});

test("/context estimates how the context window is used", async () => {
	const usage = { inputTokens: 900, outputTokens: 2, cachedTokens: undefined, costUsd: undefined };
	const chat = await ChatFixture.begin({
		windowTokens: 100_000,
		files: { "AGENTS.md": "Be brief.\n" },
		answers: [[...says("A zebra."), { type: "usage", usage }]],
	});
	await chat.prompt("What is that animal?");
	await chat.prompt("/context");
	const lines = (await chat.lines()).at(-2)?.split("\n") ?? [];
	expect(lines.slice(0, 2)).toEqual(["info: Model: test/first", "Context window: 100,000 tokens"]);
	for (const what of ["Instructions", "Tools", "AGENTS.md", "Your messages", "Answers"]) {
		expect(lines.find((line) => line.startsWith(`  ${what}: `))).toMatch(/: [1-9][\d,]* \(\d+%\)$/);
	}
	expect(lines.at(-3)).toMatch(/^Used: about [\d,]+ tokens \(\d+%\)$/);
	expect(lines.at(-2)).toMatch(/^Free: about [\d,]+ tokens$/);
	expect(lines.at(-1)).toBe("Last request: 900 tokens, as reported by the provider");
	expect(chat.model.requests).toHaveLength(1);
});

test("/costs adds up the reported usage", async () => {
	const usage = { inputTokens: 1000, outputTokens: 20, cachedTokens: 100, costUsd: 0.25 };
	const answer = [...says("Hi."), { type: "usage", usage } as const];
	const chat = await ChatFixture.begin({ answers: [answer, answer] });
	await chat.prompt("One");
	await chat.prompt("Two");
	await chat.prompt("/costs");
	expect((await chat.lines()).at(-2)?.split("\n")).toEqual([
		"info: Requests: 2",
		"Input tokens: 2,000, 200 of them cached",
		"Output tokens: 40",
		"Cost: $0.5000",
	]);
});

test("/doctor shows versions, the model, tools and servers, but no secrets", async () => {
	const chat = await ChatFixture.begin({
		mcpServers: [{ name: "files", type: "stdio", command: "none", args: ["--key=sk-secret"], env: {} }],
	});
	await chat.prompt("/doctor");
	const reply = (await chat.lines()).at(-2) ?? "";
	expect(reply).toMatch(/^info: Segue \d.*, Node \d.*\nWorkspace: .*\nModel: test\/first .*\nTools: read_file, /);
	expect(reply).toMatch(/\nMCP servers: 1\n {2}files: stopped\n/);
	expect(reply).not.toContain("sk-secret");
});

describe("/resume", () => {
	async function twoThreads(): Promise<{ chat: ChatFixture; first: string; resumed: string[] }> {
		const resumed: string[] = [];
		const chat = await ChatFixture.begin({ answers: [says("A zebra.")], resume: ({ id }) => void resumed.push(id) });
		await chat.prompt("What is that animal?");
		const first = chat.thread.id;
		chat.thread = await chat.assist.create(chat.tools.root);
		return { chat, first, resumed };
	}

	test("lists the other threads", async () => {
		const { chat, first } = await twoThreads();
		await chat.prompt("/resume");
		expect((await chat.lines()).at(-2)).toBe(
			`info: 1  2030-01-02  What is that animal?  (${first})\nTo resume one: /resume NUMBER, /resume ID or /resume latest.`,
		);
	});

	test.each(["1", "latest", "ID"])("resumes %s", async (which) => {
		const { chat, first, resumed } = await twoThreads();
		await chat.prompt(`/resume ${which === "ID" ? first : which}`);
		expect((await chat.lines()).at(-2)).toBe('info: Resuming "What is that animal?".');
		expect(resumed).toEqual([first]);
	});

	test.each(["2", "none", "0"])("rejects %s", async (which) => {
		const { chat, resumed } = await twoThreads();
		await chat.prompt(`/resume ${which}`);
		expect((await chat.lines()).at(-2)).toMatch(/^warning: No conversation .* in this workspace/);
		expect(resumed).toEqual([]);
	});

	test("does not open a thread from another workspace", async () => {
		const { chat, resumed } = await twoThreads();
		const other = await chat.assist.create("/elsewhere");
		await chat.assist.rename(other.id, "Elsewhere");
		await chat.prompt(`/resume ${other.id}`);
		expect((await chat.lines()).at(-2)).toMatch(/^warning: No conversation/);
		expect(resumed).toEqual([]);
	});

	test("explains where to open a thread if the client cannot switch", async () => {
		const chat = await ChatFixture.begin({ answers: [says("A zebra.")] });
		await chat.prompt("What is that animal?");
		const first = chat.thread.id;
		chat.thread = await chat.assist.create(chat.tools.root);
		await chat.prompt("/resume 1");
		expect((await chat.lines()).at(-2)).toMatch(new RegExp(`cannot be opened here.*--conversation ${first}`));
	});
});
