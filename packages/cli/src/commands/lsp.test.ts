import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { EcaTestClient } from "@segue/testing/editors/eca-client";
import { Home } from "@segue/testing/process/home";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test } from "vitest";
import { runSegue } from "../program.js";

// An editor with `segue lsp`, in memory or as a process. LSP and ECA use the same framing.

const WAYS = [
	["in memory", servingInMemory(runSegue)],
	...(isAll ? [["as a process", serveInProcess] as const] : []),
] as const;

const CAPABILITIES = { textDocument: { codeAction: { codeActionLiteralSupport: {} } } };

/** Opens a file, starts a rename in it, and returns the titles of the offered code actions. */
async function renames(wire: EcaTestClient, folder: string): Promise<string[]> {
	const uri = `${pathToFileURL(folder).href}/a.ts`;
	const at = (line: number, character: number) => ({ line, character });
	wire.send({ method: "initialized", params: {} });
	const textDocument = { uri, languageId: "typescript", version: 1, text: "const cnt = 0\nlog(cnt)\n" };
	wire.send({ method: "textDocument/didOpen", params: { textDocument } });
	const change = { range: { start: at(0, 6), end: at(0, 9) }, text: "count" };
	wire.send({
		method: "textDocument/didChange",
		params: { textDocument: { uri, version: 2 }, contentChanges: [change] },
	});
	const range = { start: at(0, 11), end: at(0, 11) };
	const { result } = await wire.request("textDocument/codeAction", {
		textDocument: { uri },
		range,
		context: { diagnostics: [] },
	});
	return (result as { title: string }[]).map(({ title }) => title);
}

test.each(WAYS)("segue lsp serves an editor %s and exits with the code that LSP requires", async (_how, serve) => {
	for (const isPolite of [true, false]) {
		const home = new Home();
		const args = ["lsp", "--stdio", "--client-name", "copilot-segue"];
		const segue = serve(args, { folder: home.project, env: { SEGUE_HOME: home.home } });
		const wire = new EcaTestClient(segue.input, segue.output);
		const { result } = await wire.request("initialize", { capabilities: CAPABILITIES });
		expect(result.serverInfo.name).toBe("copilot-segue");
		expect(await renames(wire, home.project)).toEqual([
			"Next edit: rename `cnt` to `count` on line 2",
			"Dismiss next edit",
		]);
		if (isPolite) await wire.request("shutdown", null);
		wire.send({ method: "exit" });
		expect(await segue.ended).toBe(isPolite ? 0 : 1);
	}
});

test("segue lsp connects to the port on which the editor listens", async () => {
	const home = new Home();
	const listening = createServer().listen(0, "127.0.0.1");
	onTestFinished(() => void listening.close());
	await once(listening, "listening");
	const { port } = listening.address() as AddressInfo;
	const connected = once(listening, "connection");
	const serve = servingInMemory(runSegue);
	const segue = serve(["lsp", "--socket", String(port)], { folder: home.project, env: { SEGUE_HOME: home.home } });
	const [socket] = await connected;
	const wire = new EcaTestClient(socket, socket);
	await wire.request("initialize", { capabilities: CAPABILITIES });
	expect(await renames(wire, home.project)).toContain("Next edit: rename `cnt` to `count` on line 2");
	await wire.request("shutdown", null);
	wire.send({ method: "exit" });
	expect(await segue.ended).toBe(0);
});

test("segue lsp warns about an unknown option and ignores it", async () => {
	const home = new Home();
	let stderr = "";
	const complain = (text: string) => {
		stderr += text;
	};
	const settings = { folder: home.project, env: { SEGUE_HOME: home.home }, complain };
	const segue = servingInMemory(runSegue)(["lsp", "--stdio", "--clientProcessId=7", "--sockt", "1"], settings);
	const wire = new EcaTestClient(segue.input, segue.output);
	await wire.request("initialize", { capabilities: CAPABILITIES });
	await wire.request("shutdown", null);
	wire.send({ method: "exit" });
	expect(await segue.ended).toBe(0);
	expect(stderr).toBe(
		'segue: Ignoring unknown option "--sockt". Did you mean "--socket"? Run `segue help lsp` for its options.\n',
	);
});

test("segue lsp says what to do if it cannot connect to the editor's port", async () => {
	const home = new Home();
	const gone = createServer().listen(0, "127.0.0.1");
	await once(gone, "listening");
	const { port } = gone.address() as AddressInfo;
	gone.close();
	await once(gone, "close");
	let stderr = "";
	const serve = servingInMemory(runSegue);
	const complain = (text: string) => {
		stderr += text;
	};
	const segue = serve(["lsp", "--socket", String(port)], {
		folder: home.project,
		env: { SEGUE_HOME: home.home },
		complain,
	});
	expect(await segue.ended).toBe(1);
	expect(stderr).toMatch(
		/^segue: Cannot connect to port \d+: .*\. The editor must listen on it before it starts segue lsp\.\n$/,
	);
});
