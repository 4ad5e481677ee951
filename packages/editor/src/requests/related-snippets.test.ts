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

/** Calls a host that returns the given result. Files with "secret" in their names are private. */
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

test("requests related code from the host", async () => {
	let received: AbortSignal | undefined;
	const { related, clock } = find(async ({ uri }, offset, signal) => {
		received = signal;
		return [snippet(uri, offset)];
	});
	expect(await related()).toEqual([snippet("file:///a", 2)]);
	clock.advance(1000);
	expect(received?.aborted).toBe(false);
});

test.each<[string, () => ReturnType<typeof find>]>([
	["the agent does not want it", () => find(async () => expect.fail("the host was called"), { isAsked: false })],
	["the host does not support it", () => find(undefined)],
	[
		"the request is already cancelled",
		() => {
			const found = find(async () => expect.fail("the host was called"));
			found.controller.abort();
			return found;
		},
	],
])("requests nothing if %s", (_, start) => {
	expect(start().related()).toBeUndefined();
});

test("omits snippets of private files", async () => {
	const { related } = find(async () => [snippet("file:///secret"), snippet("file:///b")]);
	expect(await related()).toEqual([snippet("file:///b")]);
});

test.each([
	["before the file", -1, 0],
	["in reverse order", 2, 1],
	["with fractions", 0.5, 1],
	["without a valid end", 0, Number.NaN],
])("omits snippets with lines %s", async (_, firstLine, lastLine) => {
	const { related } = find(async () => [snippet("file:///b", firstLine, lastLine), snippet("file:///c")]);
	expect(await related()).toEqual([snippet("file:///c")]);
});

test("uses the first 32 snippets", async () => {
	const { related } = find(async () => Array.from({ length: 40 }, (_, i) => snippet("file:///b", i)));
	expect(await related()).toHaveLength(32);
});

test.each<[string, () => Promise<never>]>([
	[
		"synchronously",
		() => {
			throw new Error("no server");
		},
	],
	["asynchronously", () => Promise.reject(new Error("no server"))],
])("reports a host that fails %s, and finds nothing", async (_, fail) => {
	const { related, notes } = find(fail);
	expect(await related()).toEqual([]);
	expect(notes).toEqual([{ kind: "failed", text: "relatedSnippets: Error: no server" }]);
});

test("aborts a host that takes longer than 100 ms, and finds nothing", async () => {
	const answer = deferred<readonly Snippet[]>();
	let received: AbortSignal | undefined;
	const { related, clock, notes } = find((_document, _offset, signal) => {
		received = signal;
		return answer.opened;
	});
	const found = related();
	let result: unknown;
	void found?.then((it) => {
		result = it;
	});
	clock.advance(99);
	await settled();
	expect([result, received?.aborted]).toEqual([undefined, false]);
	clock.advance(1);
	await settled();
	expect([result, received?.aborted]).toEqual([[], true]);
	answer.open([snippet("file:///b")]);
	await settled();
	expect([result, notes]).toEqual([[], []]);
});

test("aborts the host when the request is cancelled, without reporting its error", async () => {
	const { related, notes, controller } = find((_document, _offset, signal) => {
		return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
	});
	const found = related();
	controller.abort();
	expect(await found).toEqual([]);
	await settled();
	expect(notes).toEqual([]);
});
