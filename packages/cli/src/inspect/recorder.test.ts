import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readTrace } from "@segue/rpc/trace";
import { expect, onTestFinished, test } from "vitest";
import { Recorder, type Watcher } from "./recorder.js";

/** A recorder with its own file, and the failures it reports. */
function recording(file = "trace.jsonl") {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-trace-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const failures: string[] = [];
	let timeMs = 0;
	const place = path.join(folder, file);
	const recorder = new Recorder(
		place,
		new Date(0),
		["agent"],
		() => timeMs++,
		(why) => failures.push(why),
	);
	const take = (from: "client" | "agent", text: string) => recorder.take(from, Buffer.from(text));
	return { recorder, take, place, failures };
}

/** A page. If `reads` is false, it has stopped reading. */
class FakePage implements Watcher {
	text = "";
	bufferedAmount = 0;
	isDropped = false;
	private close = () => {};

	constructor(private readonly reads = true) {}

	send(lines: string): void {
		this.text += lines;
		if (!this.reads) this.bufferedAmount += lines.length;
	}

	terminate(): void {
		this.isDropped = true;
		this.close();
	}

	on(_event: "close", listener: () => void): void {
		this.close = listener;
	}
}

test("a trace has all messages in order, and only its owner can read it", () => {
	const { recorder, take, place } = recording();
	take("client", '{"id":1}\n{"id"');
	take("agent", '{"id":1,"result":1}\n');
	take("client", ':2,"token":"abc"}\n');
	recorder.close();
	const { header, records } = readTrace(readFileSync(place, "utf8"));
	expect(header.command).toEqual(["agent"]);
	expect(records).toEqual([
		{ atMs: 0, from: "client", text: '{"id":1}' },
		{ atMs: 1, from: "agent", text: '{"id":1,"result":1}' },
		{ atMs: 2, from: "client", text: '{"id":2,"token":"***"}' },
	]);
	if (process.platform !== "win32") expect(statSync(place).mode & 0o077).toBe(0);
});

test("a page receives messages that arrive without a pause", () => {
	const { recorder, take } = recording();
	const page = new FakePage();
	recorder.watch(page);
	// Each call advances the time by a millisecond.
	for (let id = 0; id < 1500; id++) take("client", `{"id":${id}}\n`);
	expect(readTrace(page.text).records.length).toBeGreaterThan(1000);
	recorder.close();
	expect(readTrace(page.text).records).toHaveLength(1500);
});

test("a trace that cannot be written is reported once, and pages still receive all messages", () => {
	const { recorder, take, failures } = recording("none/trace.jsonl");
	const page = new FakePage();
	recorder.watch(page);
	take("client", "{}\n");
	recorder.close();
	expect(failures).toEqual([expect.stringContaining("the folder does not exist")]);
	expect(readTrace(page.text).records).toHaveLength(1);
});

test("a page that connects later receives the history first and then new messages", () => {
	const { recorder, take } = recording();
	take("client", '{"id":1}\n');
	const page = new FakePage();
	recorder.watch(page);
	take("agent", '{"id":1,"result":1}\n');
	recorder.close();
	expect(readTrace(page.text).records.map(({ from }) => from)).toEqual(["client", "agent"]);
});

test("a page that connects very late receives the end of the history", () => {
	const { recorder, take, place } = recording();
	take("client", Array.from({ length: 150_000 }, (_, id) => `{"id":${id}}\n`).join(""));
	const page = new FakePage();
	recorder.watch(page);
	recorder.close();
	const { records } = readTrace(page.text);
	expect(records).toHaveLength(20_000);
	expect(records.at(-1)?.text).toBe('{"id":149999}');
	expect(readTrace(readFileSync(place, "utf8")).records).toHaveLength(150_000);
});

test("the history is limited even if messages are large", () => {
	const { recorder, take } = recording();
	for (let id = 0; id < 30; id++) take("client", `{"id":${id},"text":"${"x".repeat(2 ** 20)}"}\n`);
	const page = new FakePage();
	recorder.watch(page);
	recorder.close();
	expect(page.text.length).toBeLessThan(17 * 2 ** 20);
	expect(readTrace(page.text).records.at(-1)?.text).toContain('"id":29');
});

test("a page that stops reading is disconnected, but other pages are not", () => {
	const { recorder, take, place } = recording();
	const [slow, good] = [new FakePage(false), new FakePage()];
	recorder.watch(slow);
	recorder.watch(good);
	for (let id = 0; id < 80; id++) take("client", `{"id":${id},"text":"${"x".repeat(2 ** 20)}"}\n`);
	recorder.close();
	expect([slow.isDropped, good.isDropped]).toEqual([true, false]);
	expect(slow.bufferedAmount).toBeLessThan(66 * 2 ** 20);
	expect(readTrace(good.text).records).toHaveLength(80);
	expect(readTrace(readFileSync(place, "utf8")).records).toHaveLength(80);
});
