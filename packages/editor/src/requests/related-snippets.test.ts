import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Session } from "../connection/agent-connection.js";
import type { Host, Notice, Snippet } from "../host.js";
import { findRelatedSnippets } from "./related-snippets.js";

const current = { uri: "file:///a", languageId: "plaintext", version: 1, text: Text.of("one") };

function snippet(uri: string, firstLine = 0, lastLine = firstLine): Snippet {
	return { uri, firstLine, lastLine, text: "text" };
}

/** Asks a host that answers in a certain way. Files with "secret" in their names are private. */
function find(relatedSnippets: Host["relatedSnippets"], { isAsked = true } = {}) {
	const clock = new FakeClock();
	const notes: Notice[] = [];
	const controller = new AbortController();
	const session = {
		capabilities: { context: isAsked ? { relatedSnippets: {} } : { openFiles: {} } },
	} as unknown as Session;
	const related = () => {
		const options = {
			host: relatedSnippets === undefined ? {} : { relatedSnippets },
			clock,
			current,
			cursor: 2,
			isPrivate: async (uri: string) => uri.includes("secret"),
			report: (note: Notice) => notes.push(note),
		};
		return findRelatedSnippets(session, options, controller.signal);
	};
	return { related, clock, notes, controller };
}

test("the host is asked for what is related to a place", async () => {
	let told: AbortSignal | undefined;
	const { related, clock } = find(async ({ uri }, offset, signal) => {
		told = signal;
		return [snippet(uri, offset)];
	});
	expect(await related()).toEqual([snippet("file:///a", 2)]);
	clock.advance(1000);
	expect(told?.aborted).toBe(false);
});

test.each<[string, () => ReturnType<typeof find>]>([
	["the agent did not ask", () => find(async () => expect.fail("the host was asked"), { isAsked: false })],
	["the host knows of nothing", () => find(undefined)],
	[
		"the request is cancelled already",
		() => {
			const found = find(async () => expect.fail("the host was asked"));
			found.controller.abort();
			return found;
		},
	],
])("nothing is looked for where %s", (_, start) => {
	expect(start().related()).toBeUndefined();
});

test("what a private file holds is left out", async () => {
	const { related } = find(async () => [snippet("file:///secret"), snippet("file:///b")]);
	expect(await related()).toEqual([snippet("file:///b")]);
});

test.each([
	["from above the file", -1, 0],
	["written backwards", 2, 1],
	["of half a line", 0.5, 1],
	["without an end", 0, Number.NaN],
])("lines %s are left out", async (_, firstLine, lastLine) => {
	const { related } = find(async () => [snippet("file:///b", firstLine, lastLine), snippet("file:///c")]);
	expect(await related()).toEqual([snippet("file:///c")]);
});

test("the first 32 are enough", async () => {
	const { related } = find(async () => Array.from({ length: 40 }, (_, i) => snippet("file:///b", i)));
	expect(await related()).toHaveLength(32);
});

test.each<[string, () => Promise<never>]>([
	[
		"at once",
		() => {
			throw new Error("no server");
		},
	],
	["later", () => Promise.reject(new Error("no server"))],
])("a host that fails %s is reported, and nothing is found", async (_, fail) => {
	const { related, notes } = find(fail);
	expect(await related()).toEqual([]);
	expect(notes).toEqual([{ kind: "failed", text: "relatedSnippets: Error: no server" }]);
});

test("a host that takes longer than 100 ms is told to stop, and nothing is found", async () => {
	const answer = deferred<readonly Snippet[]>();
	let told: AbortSignal | undefined;
	const { related, clock, notes } = find((_document, _offset, signal) => {
		told = signal;
		return answer.opened;
	});
	const found = related();
	let result: unknown;
	void found?.then((it) => {
		result = it;
	});
	clock.advance(99);
	await settled();
	expect([result, told?.aborted]).toEqual([undefined, false]);
	clock.advance(1);
	await settled();
	expect([result, told?.aborted]).toEqual([[], true]);
	answer.open([snippet("file:///b")]);
	await settled();
	expect([result, notes]).toEqual([[], []]);
});

test("a host is told to stop when the request is cancelled, and its failure then is none", async () => {
	const { related, notes, controller } = find((_document, _offset, signal) => {
		return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
	});
	const found = related();
	controller.abort();
	expect(await found).toEqual([]);
	await settled();
	expect(notes).toEqual([]);
});
