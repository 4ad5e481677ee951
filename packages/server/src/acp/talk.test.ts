import { readdirSync, readFileSync } from "node:fs";
import * as acp from "@segue/protocol/acp";
import { Connection, memoryPair, type Request } from "@segue/rpc";
import { playTalk, readTalk, type TalkLine } from "@segue/testing/rpc/talk";
import { describe, expect, test } from "vitest";
import { type Authentication, serveAcp } from "./acp-server.js";

const FOLDER = new URL("../../talks/", import.meta.url);

/** A recording of an agent's responses, played back to an editor. */
const TO_AN_EDITOR = "answers.talk";

const names = readdirSync(FOLDER);

function source(name: string): string {
	return readFileSync(new URL(name, FOLDER), "utf8");
}

function signInHook(): Authentication {
	let isOpen = false;
	return {
		methods: [{ id: "key", name: "API key" }],
		isSignedIn: () => isOpen,
		signIn: async () => {
			isOpen = true;
		},
		signOut: async () => {
			isOpen = false;
		},
	};
}

describe("the agent", () => {
	test.each(names.filter((name) => name !== TO_AN_EDITOR))("follows %s", async (name) => {
		const [a, b] = memoryPair();
		const authentication = name === "sign-in.talk" ? { authentication: signInHook() } : {};
		serveAcp(a, { version: "0.0.0", sync: "both", report: () => {}, now: () => 0, ...authentication });
		await playTalk(source(name), b);
	});
});

describe("an editor", () => {
	test(`reads the responses in ${TO_AN_EDITOR}`, async () => {
		const [a, b] = memoryPair();
		const report = () => expect.unreachable("an invalid message was reported");
		const client = new Connection<"client">(b, { dialect: acp.dialect, handlers: [], report });
		const played = playTalk(source(TO_AN_EDITOR), a, "agent");
		const { lines } = readTalk(source(TO_AN_EDITOR));
		for (const [index, { speaker, what, value }] of lines.entries()) {
			if (speaker === "agent") continue;
			const expected = lines[index + 1] as TalkLine;
			const response = client.request(requestOf(what), value);
			if (expected.what === "error") await expect(response).rejects.toMatchObject(expected.value as object);
			else expect(await response).toEqual(expected.value);
		}
		await played;
	});
});

function requestOf(method: string): Request<unknown, unknown, "client"> {
	return Object.values(acp.messages).find((message) => message.method === method) as Request<
		unknown,
		unknown,
		"client"
	>;
}

describe("the recordings", () => {
	interface Example {
		readonly message: keyof typeof acp.messages;
		readonly part: "params" | "result";
		readonly value: object;
	}

	/** The specification's complete next-edit examples. No recording covers editor state yet. */
	const file = new URL("../../../protocol/src/acp/examples.json", import.meta.url);
	const examples = (JSON.parse(readFileSync(file, "utf8")) as Example[]).filter(({ message, value }) => {
		return !acp.messages[message].method.startsWith("workspace/") && !JSON.stringify(value).includes('"workspace":');
	});

	test("contain every example from the specification verbatim", () => {
		const lines = names.flatMap((name) => readTalk(source(name)).lines);
		const missing = examples.filter(({ message, part, value }) => {
			const what = part === "params" ? acp.messages[message].method : "result";
			return !lines.some((line) => line.what === what && same(line.value, value));
		});
		expect(missing).toEqual([]);
		expect(examples).toHaveLength(20);
	});

	function same(a: unknown, b: unknown): boolean {
		return JSON.stringify(a) === JSON.stringify(b);
	}
});
