import { readFile } from "node:fs/promises";
import { ModelFailure } from "@segue/models";
import { Conversation, calls, says } from "@segue/testing/conversation";
import { expect, test } from "vitest";
import { COMMANDS } from "./commands.js";

const FILES = { "src/app.ts": "const Greeting = 'hi (you)';\n", "README.md": "# Greetings\n" };
const WHY = "There is no model yet. Set SEGUE_MODEL, or log in with segue login PROVIDER.";
const NO_MODEL = { models: { names: [], choose: () => ({ why: WHY }) } };

for (const text of ["Explain this", "/help"]) {
	test(`keeps no secret that came with "${text}" where there is no model`, async () => {
		const chat = await Conversation.begin(NO_MODEL);
		const secret = { type: "file", path: `${chat.box.root}/.env`, lines: undefined, content: "KEY=1" } as const;
		await chat.prompt([{ type: "text", text }, secret]);
		expect((await chat.entries())[0]?.body).toMatchObject({ parts: [{ text }, { path: secret.path }] });
		expect(JSON.stringify(await chat.entries())).not.toContain("KEY=1");
	});
}

for (const { command, reply } of [
	{ command: "/help", reply: /^info: \/help: Tells what the commands do\.\n(.*\n)*\/search TEXT: / },
	{ command: "  /HELP  ", reply: /^info: \/help/ },
	{ command: "/files", reply: /README\.md(.*\n)*.*src\/app\.ts/ },
	{ command: "/files app", reply: /^info: src\/app\.ts$/ },
	{ command: "/files *.md", reply: /^info: README\.md$/ },
	{ command: "/search greeting", reply: /src\/app\.ts/ },
	{ command: "/search hi (you)", reply: /src\/app\.ts/ },
	{ command: `/search ${"x".repeat(10_001)}`, reply: /^warning: That cannot be looked for: / },
	{ command: "/search", reply: /^warning: Say what to look for/ },
	{ command: "/threads", reply: /^info: This workspace has no other thread\.$/ },
	{ command: "/threads nowhere", reply: /^info: No other thread of this workspace holds "nowhere"\.$/ },
	{ command: "/model", reply: new RegExp(`^warning: ${WHY}$`) },
	{ command: "/why", reply: /^info: There has been no turn in this thread yet\.$/ },
	{ command: "/serach", reply: /^warning: There is no command \/serach\. Did you mean \/search\?/ },
	{ command: "/fiels", reply: /Did you mean \/files\?/ },
]) {
	test(`answers ${command.slice(0, 20)} without a model`, async () => {
		const chat = await Conversation.begin({ ...NO_MODEL, files: FILES });
		expect(await chat.prompt(command)).toBe("done");
		expect(await chat.lines()).toEqual([`prompt: ${command}`, expect.stringMatching(reply), "end: done"]);
		expect((await chat.assist.thread(chat.thread.id))?.title).toBe("");
	});
}

for (const text of [
	"/usr/bin is what?",
	"/etc is full, what can go?",
	"/ is what?",
	"What does /help do?",
	"/etc/hosts",
]) {
	test(`takes "${text}" for a prompt`, async () => {
		const chat = await Conversation.begin({ answers: [says("A path.")] });
		await chat.prompt(text);
		expect(chat.model.requests).toHaveLength(1);
	});
}

test("takes an unknown word with something beside it for a prompt", async () => {
	const chat = await Conversation.begin({ answers: [says("A path.")] });
	await chat.prompt([
		{ type: "text", text: "/etc" },
		{ type: "excerpt", label: "Terminal", content: "$ ls" },
	]);
	expect(chat.model.requests).toHaveLength(1);
});

test("tells of each command what it does", async () => {
	const chat = await Conversation.begin({});
	await chat.prompt("/help");
	const help = (await chat.lines())[1] ?? "";
	for (const { name, description } of COMMANDS) expect(help).toMatch(new RegExp(`/${name}\\b.*: ${description}`));
});

test("finds threads by what was said in them", async () => {
	const chat = await Conversation.begin({ answers: [says("A quagga is a zebra.")] });
	await chat.prompt("What is that animal?");
	chat.thread = await chat.assist.create(chat.box.root);
	await chat.prompt("/threads quagga");
	expect((await chat.lines()).at(-2)).toMatch(/What is that animal\?\n.*quagga/);
});

test("writes the thread into a new file, which can be imported", async () => {
	const chat = await Conversation.begin({ answers: [says("Hi.")] });
	await chat.prompt("Say hi");
	await chat.prompt("/export kept.json");
	expect((await chat.lines()).at(-2)).toBe(`info: The thread is in ${chat.box.root}/kept.json.`);
	const kept = JSON.parse(await readFile(`${chat.box.root}/kept.json`, "utf8"));
	const { id } = await chat.assist.importThread(kept, chat.box.root);
	expect((await chat.assist.entries(id))[0]?.body).toEqual((await chat.entries())[0]?.body);
	await chat.prompt("/export kept.json");
	expect((await chat.lines()).at(-2)).toMatch(/^warning: The thread was not written: EEXIST.*Name another file/);
});

test("goes on with the model that was chosen, and says which there are", async () => {
	const chat = await Conversation.begin({
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
	expect(await replies("/model test/second")).toMatch(/goes on with test\/second/);
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

test("tells why the last turn ended as it did, in another process too", async () => {
	const usage = { inputTokens: 1000, outputTokens: 20, cachedTokens: undefined, costUsd: 0.25 };
	const retrying = { type: "retrying", afterMs: 1000, why: "Busy." } as const;
	const chat = await Conversation.begin({
		answers: [
			[retrying, ...calls(["read_file", { path: "none" }]), { type: "usage", usage }],
			[...calls(["run_command", { command: "true" }]), { type: "usage", usage }],
			says("Sorry."),
		],
		approve: async () => "no",
	});
	await chat.prompt("Do it");
	chat.assist = chat.another();
	await chat.prompt("/help");
	await chat.prompt("/why");
	expect((await chat.lines()).at(-2)?.split("\n")).toEqual([
		"info: Model: test/first",
		"Steps: 3",
		"Calls: 2, of which 2 failed",
		expect.stringMatching(/^ {2}Read none: There is no file none/),
		expect.stringMatching(/^ {2}.*: The user declined this/),
		"Asked for command true: no, by you",
		"Tokens: 2000 read, 40 written",
		"Cost: $0.5000",
		"Notice: Busy. Trying again in 1 s.",
		"End: the model was done.",
	]);
});

test("counts all steps of a turn that was summarised", async () => {
	const list = calls(["list_directory", {}]);
	const tooLong = new ModelFailure("too-long", "Too long.");
	const chat = await Conversation.begin({ answers: [list, list, tooLong, says("In short."), says("Done.")] });
	await chat.prompt("Do it");
	await chat.prompt("/why");
	expect((await chat.lines()).at(-2)).toMatch(/\nSteps: 3\nCalls: 2\n/);
});
