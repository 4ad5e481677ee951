import { ChatFixture, calls } from "@segue/testing/chat/chat-fixture";
import { expect, test } from "vitest";
import type { Mode } from "./settings.js";

test("explains how to configure a model if there is none, but stores the prompt", async () => {
	const why = "There is no model yet. Log in with segue login PROVIDER.";
	const chat = await ChatFixture.begin({ models: { names: [], choose: () => ({ why }) } });
	expect(await chat.prompt("Explain this")).toBe("failed");
	expect(await chat.lines()).toEqual(["prompt: Explain this", `warning: ${why}`, "end: failed"]);
	expect((await chat.assist.thread(chat.thread.id))?.title).toBe("Explain this");
});

for (const { mode, has, lacks } of [
	{ mode: "ask", has: ["read_file", "search"], lacks: ["edit_file", "run_command", "update_plan"] },
	{ mode: "plan", has: ["read_file", "update_plan"], lacks: ["write_file", "run_command", "delete_file"] },
	{ mode: "edit", has: ["read_file", "update_plan", "edit_file", "run_command"], lacks: ["fetch_url"] },
] as const) {
	test(`offers only the tools for mode ${mode}`, async () => {
		const chat = await ChatFixture.begin({});
		await chat.prompt("Go", { mode });
		const names = chat.model.requests[0]?.tools.map((tool) => tool.name) ?? [];
		for (const name of has) expect(names).toContain(name);
		for (const name of lacks) expect(names).not.toContain(name);
	});
}

test("does not run a tool that the mode does not allow", async () => {
	const chat = await ChatFixture.begin({ answers: [calls(["write_file", { path: "a.ts", content: "a" }])] });
	await chat.prompt("Go", { mode: "ask" });
	expect(chat.questions).toEqual([]);
	expect((await chat.lines())[1]).toMatch(/Unknown tool write_file/);
});

test("offers fetch_url only if the network is allowed", async () => {
	const chat = await ChatFixture.begin({ network: true });
	await chat.prompt("Go", { mode: "ask" });
	expect(chat.model.requests[0]?.tools.map((tool) => tool.name)).toContain("fetch_url");
});

test("includes the folders, the date and the mode in the system prompt", async () => {
	const systems = new Map<Mode, string>();
	for (const mode of ["ask", "edit", "plan"] as const) {
		const chat = await ChatFixture.begin({});
		await chat.prompt("Go", { mode, effort: "low", folders: ["/other/folder"] });
		const request = chat.model.requests[0];
		expect(request?.effort).toBe("low");
		expect(request?.system).toContain(chat.tools.root);
		expect(request?.system).toContain("/other/folder");
		expect(request?.system).toContain("2030-01-02");
		systems.set(mode, request?.system.replace(chat.tools.root, "") ?? "");
	}
	expect(new Set(systems.values()).size).toBe(3);
});

test("shows and stores a plan", async () => {
	const steps = [
		{ text: "Look", status: "done" },
		{ text: "Change", status: "running" },
	];
	const chat = await ChatFixture.begin({ answers: [calls(["update_plan", { steps }])] });
	await chat.prompt("Go", { mode: "plan" });
	expect(await chat.lines()).toContain("plan: Look done, Change running");
});
