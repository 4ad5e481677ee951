import type * as acp from "@segue/protocol/acp";
import { ALL_NES_CAPABILITIES } from "@segue/testing/agents/scripted-agent";
import { EditorFixture, type PrepareFixture } from "@segue/testing/editors/editor-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

const A = "file:///project/a.ts";
const B = "file:///project/b.ts";

/** Creates a fixture that keeps all messages from the start. */
async function stageWith(text: string, prepare?: PrepareFixture): Promise<EditorFixture> {
	const stage = new EditorFixture(prepare);
	await settled();
	await stage.open(A, text);
	await stage.pause();
	return stage;
}

function methodsOf({ agent }: EditorFixture): string[] {
	return agent.received.map(({ method }) => method);
}

describe("nothing is sent to the agent", () => {
	const SECRET = "sesame-5317";

	/** Returns all messages as one string. */
	const wireOf = ({ agent }: EditorFixture) => JSON.stringify(agent.received);

	test.for<[string, string]>([
		["a secret file", "file:///project/.env"],
		["a key", "file:///project/id_rsa"],
		["an ignored file", "file:///project/private/notes.ts"],
		["a file in .git", "file:///project/.git/config"],
	])("from %s, whatever the user does with it", async ([, uri]) => {
		const stage = await stageWith("a", ({ host }) => {
			host.disk.set("file:///project/.gitignore", "private/\n");
			host.relatedSnippets = async () => [{ uri, firstLine: 0, lastLine: 0, text: SECRET }];
		});
		const { host } = stage;
		host.diagnose(uri, [{ from: 0, to: 1, severity: "error", message: SECRET }]);
		await stage.open(uri, `${SECRET}\n`);
		host.type(SECRET);
		await stage.pause();
		await stage.editor.suggest();
		host.save(uri);
		host.focus(A);
		host.type("b");
		await stage.pause();
		host.close(uri);
		await stage.editor.suggest();
		expect(stage.requests.length).toBeGreaterThan(0);
		expect(wireOf(stage)).not.toContain(SECRET);
		expect(wireOf(stage)).not.toContain(uri);
	});

	test("from an ignored file opened before the ignore rules are read", async () => {
		const { opened, open } = deferred();
		const stage = new EditorFixture(({ host }) => {
			const { read } = host.files;
			host.files.read = async (uri) => {
				await opened;
				return uri === "file:///project/.gitignore" ? "private.ts\n" : read(uri);
			};
		});
		await settled();
		await stage.open("file:///project/private.ts", SECRET);
		stage.host.type(SECRET);
		await stage.pause();
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "opening" });
		open();
		await stage.pause();
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "ignored-file" });
		expect(wireOf(stage)).not.toContain("private.ts");
		expect(wireOf(stage)).not.toContain(SECRET);
	});

	test("from files covered by an ignore file that exceeds a limit, and the reason is reported", async () => {
		const stage = await stageWith("a", ({ host }) => {
			host.disk.set("file:///project/.gitignore", "*.log\n".repeat(20_001));
		});
		await stage.open("file:///project/b.ts", SECRET);
		await stage.pause();
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({
			kind: "no-suggestion",
			text: expect.stringMatching(/project\/\.gitignore cannot be used, because it has more than 20000 patterns\.$/),
		});
		expect(wireOf(stage)).not.toContain(SECRET);
	});

	test.for([
		["git:/project/a.ts", undefined, "virtual-file"],
		["git:/project/a.ts", () => false, undefined],
		["vscode-remote://wsl/a.ts", (uri: string) => uri.startsWith("vscode-remote:"), "virtual-file"],
	] as const)("from %s, depending on the host's isPrivate", async ([uri, isPrivate, reason]) => {
		const stage = new EditorFixture(({ host }) => {
			if (isPrivate !== undefined) Object.assign(host, { isPrivate });
		});
		await settled();
		await stage.open(uri, SECRET);
		stage.host.type("x");
		await stage.pause();
		await stage.editor.suggest();
		expect(wireOf(stage).includes(SECRET)).toBe(reason === undefined);
		if (reason !== undefined) expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: reason });
	});

	test("from a link to a secret file", async () => {
		const stage = new EditorFixture(({ host }) => {
			const resolve = async (uri: string) => (uri.endsWith("/lenv.ts") ? "file:///project/.env" : uri);
			Object.assign(host.files, { resolve });
		});
		await settled();
		await stage.open("file:///project/lenv.ts", SECRET);
		stage.host.type("x");
		await stage.pause();
		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "ignored-file" });
		expect(wireOf(stage)).not.toContain(SECRET);
	});

	test("from any file as soon as it contains a private key", async () => {
		const begin = ["-----BEGIN", "PRIVATE", "KEY-----"].join(" ");
		const stage = await stageWith("a");
		stage.forget();
		stage.host.edit(A, [{ from: 0, to: 0, insert: `${begin}\n${SECRET}\n` }]);
		await stage.pause();
		await stage.editor.suggest();
		expect(stage.agent.paramsOf("document/didClose")).toMatchObject([{ uri: A }]);
		expect(wireOf(stage)).not.toContain(SECRET);
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "secret-file" });
	});

	test("from a file that becomes ignored, which is closed", async () => {
		const stage = await stageWith("a");
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		expect(stage.host.shown).toBeDefined();
		stage.host.open("file:///project/.gitignore", "");
		stage.host.edit("file:///project/.gitignore", [{ from: 0, to: 0, insert: "a.ts\n" }]);
		stage.host.save("file:///project/.gitignore");
		await settled();
		expect(stage.agent.paramsOf("document/didClose")).toMatchObject([{ uri: A }]);
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, ["1 reject ignored"]]);
		stage.forget();
		stage.host.type(SECRET);
		await stage.pause();
		await stage.editor.suggest();
		expect(wireOf(stage)).not.toContain(SECRET);
		expect(stage.requests).toEqual([]);
	});

	test("from a file that becomes ignored during a request, which is cancelled", async () => {
		const stage = await stageWith("a");
		stage.agent.suggest = () => new Promise(() => {});
		void stage.editor.suggest();
		await settled();
		stage.host.disk.set("file:///project/.gitignore", "a.ts\n");
		stage.editor.didSave("file:///project/.gitignore");
		await settled();
		expect(stage.agent.paramsOf("$/cancel_request")).toHaveLength(1);
	});

	test("until a file is no longer ignored; then it is opened", async () => {
		const stage = await stageWith("a", ({ host }) => host.disk.set("file:///project/.gitignore", "*.ts\n"));
		expect(stage.agent.paramsOf("document/didOpen")).toEqual([]);
		stage.host.type("b");
		stage.host.open("file:///project/.gitignore", "");
		stage.host.save("file:///project/.gitignore");
		await settled();
		expect(stage.agent.paramsOf("document/didOpen")).toMatchObject([{}, { uri: A, text: "ab", version: 2 }]);
	});

	test("because of an outdated privacy check that finishes last", async () => {
		const reads: ((text: string) => void)[] = [];
		const stage = new EditorFixture(({ host }) => {
			host.files.read = (uri) => {
				if (uri !== "file:///project/.gitignore") return Promise.resolve(undefined);
				return new Promise((resolve) => reads.push(resolve));
			};
		});
		await settled();
		await stage.open(A, SECRET);
		stage.editor.didSave("file:///project/.gitignore");
		await settled();
		reads[1]?.("a.ts\n");
		await settled();
		reads[0]?.("");
		await settled();
		expect(wireOf(stage)).not.toContain(SECRET);
	});

	test("from a file ignored by rules above the workspace", async () => {
		const stage = new EditorFixture(({ host }) => {
			host.folders = [{ uri: "file:///repo/pkg", name: "pkg" }];
			host.disk.set("file:///repo/.git/HEAD", "ref: refs/heads/main\n");
			host.disk.set("file:///repo/.gitignore", "local.ts\n");
		});
		await settled();
		await stage.open("file:///repo/pkg/local.ts", SECRET);
		await stage.open("file:///repo/pkg/a.ts", "a");
		await stage.pause();
		expect(stage.agent.paramsOf("document/didOpen")).toMatchObject([{ uri: "file:///repo/pkg/a.ts" }]);
	});

	test("from an ignored file whose folder is removed from the workspace", async () => {
		const stage = await stageWith("a", ({ host }) => host.disk.set("file:///project/.gitignore", "s.ts\n"));
		await stage.open("file:///project/s.ts", SECRET);
		stage.host.folders = [{ uri: "file:///other", name: "other" }];
		stage.editor.didChangeWorkspace();
		await stage.pause();
		expect(stage.agent.paramsOf("nes/start")).toHaveLength(2);
		expect(wireOf(stage)).not.toContain(SECRET);
		expect(wireOf(stage)).not.toContain("s.ts");
	});

	test.for<[string, (stage: EditorFixture) => void]>([
		["an ignore file", ({ editor }) => editor.didChangeFiles([B, "file:///project/.gitignore"])],
		["the workspace", ({ editor }) => editor.didChangeWorkspace()],
	])("from a file that is ignored after %s changed", async ([, change]) => {
		const stage = await stageWith("a");
		stage.host.disk.set("file:///project/.gitignore", "a.ts\nb.ts\n");
		change(stage);
		await settled();
		expect(stage.agent.paramsOf("document/didClose")).toMatchObject([{ uri: A }]);
		stage.forget();
		stage.host.type(SECRET);
		await stage.open(B, SECRET);
		await stage.pause();
		expect(wireOf(stage)).not.toContain(SECRET);
	});

	test("from any file while ignore files cannot be read", async () => {
		let isBroken = true;
		const stage = await stageWith(SECRET, ({ host }) => {
			const { read } = host.files;
			host.files.read = async (uri) => {
				if (isBroken) throw new Error("EMFILE");
				return read(uri);
			};
		});
		stage.editor.didChangeFiles([B]);
		await settled();
		expect(stage.agent.paramsOf("document/didOpen")).toEqual([]);
		isBroken = false;
		stage.editor.didChangeFiles([B]);
		await settled();
		expect(stage.agent.paramsOf("document/didOpen")).toMatchObject([{ uri: A }]);
	});

	test("from a file that is ignored in the next session's folders", async () => {
		const stage = await stageWith("a", ({ host }) => {
			host.disk.set("file:///project/.git/HEAD", "ref: refs/heads/main\n");
			host.disk.set("file:///.gitignore", "a.ts\n");
		});
		expect(stage.agent.paramsOf("document/didOpen")).toHaveLength(1);
		stage.forget();
		stage.host.folders = [{ uri: "file:///", name: "all" }];
		const { opened, open } = deferred();
		const { read } = stage.host.files;
		stage.host.files.read = async (uri) => {
			await opened;
			return read(uri);
		};
		stage.editor.didChangeWorkspace();
		await settled();
		expect(stage.agent.paramsOf("nes/start")).toEqual([]);
		open();
		await settled();
		stage.host.type(SECRET);
		await stage.pause();
		expect(stage.agent.paramsOf("nes/start")).toHaveLength(1);
		expect(stage.agent.paramsOf("document/didOpen")).toEqual([]);
		expect(wireOf(stage)).not.toContain(SECRET);
	});
});

describe("a session", () => {
	test.for([true, false])("tells the agent whether it is a demonstration: %s", async (isDemonstration) => {
		const stage = await stageWith("a", ({ host }) => {
			host.workspace = () => ({ folders: [], isDemonstration });
		});
		const segue = { demonstration: true };
		expect(stage.agent.paramsOf("nes/start")).toEqual([
			{ workspaceFolders: [], ...(isDemonstration && { _meta: { segue } }) },
		]);
	});

	test("starts with the workspace and is replaced when its folders change", async () => {
		const stage = await stageWith("a", ({ host }) => {
			host.repository = { name: "r", owner: "o", remoteUrl: "https://user:password@host/r.git" };
		});
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		stage.host.folders = [...stage.host.folders, { uri: "file:///more", name: "more" }];
		stage.editor.didChangeWorkspace();
		await settled();
		const starts = stage.agent.paramsOf("nes/start");
		expect(starts[0]).toMatchObject({ repository: { remoteUrl: "https://host/r.git" } });
		expect(starts[1]).toMatchObject({ workspaceFolders: [{ name: "project" }, { name: "more" }] });
		expect(stage.agent.paramsOf("nes/close")).toEqual([{ sessionId: "session_1" }]);
		expect(stage.agent.paramsOf("document/didOpen")).toMatchObject([
			{ sessionId: "session_1", uri: A },
			{ sessionId: "session_2", uri: A },
		]);
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, []]);
	});

	test("that ends with its agent shows and reports nothing; the next one opens all documents", async () => {
		const stage = await stageWith("a");
		stage.host.open(B, "b");
		stage.script(stage.edit(A, 1, 1, "b"), stage.edit(A, 0, 0, "0"));
		await stage.editor.suggest();
		stage.agent.die();
		await settled();
		expect(stage.host.shown).toBeUndefined();
		stage.host.type("x");
		expect(await stage.editor.tab()).toBe(false);
		stage.forget();
		stage.script();
		await stage.pause(1000);
		await stage.pause();
		expect(stage.verdicts).toEqual([]);
		const opened = stage.agent.paramsOf("document/didOpen").map(({ uri }) => uri);
		expect(opened.toSorted()).toEqual([A, B]);
		expect(stage.agent.paramsOf("document/didFocus")).toMatchObject([{ uri: A }]);
		expect(stage.requests.at(-1)).toMatchObject({ uri: A, version: 2, sessionId: "session_2" });
	});

	test("continues the editor's versions after edits made without an agent", async () => {
		const stage = await stageWith("a");
		stage.agent.die();
		await settled();
		stage.host.type("bc");
		await stage.pause(1000);
		stage.forget();
		stage.host.type("d");
		await stage.pause();
		expect(stage.agent.paramsOf("document/didChange").at(-1)).toMatchObject({ uri: A, version: 4 });
		expect(stage.requests.at(-1)).toMatchObject({ version: 4 });
	});
});

describe("documents", () => {
	test("that are opened twice are closed in between and continue with the new text", async () => {
		const stage = await stageWith("a");
		stage.script(stage.edit(A, 1, 1, "b"));
		await stage.editor.suggest();
		stage.forget();
		stage.host.open(A, "");
		stage.host.edit(A, [{ from: 0, to: 0, insert: "x" }]);
		await stage.pause();
		const methods = methodsOf(stage).filter((method) => method.startsWith("document/"));
		expect(methods.slice(0, 2)).toEqual(["document/didClose", "document/didOpen"]);
		expect(stage.verdicts).toEqual(["1 reject ignored"]);
		expect(stage.requests).toMatchObject([{ uri: A, version: 2 }]);
	});

	test("that are closed and reopened are not focused", async () => {
		const stage = await stageWith("a");
		stage.host.close(A);
		stage.host.open(A, "a");
		stage.forget();
		await stage.editor.suggest();
		expect(stage.requests).toEqual([]);
	});

	test("that are not open, and changes that do not fit the text, cause errors", async () => {
		const { editor } = await stageWith("a");
		expect(() => editor.didChange(B, 2, [])).toThrow(/b\.ts is not open/);
		expect(() => editor.didFocus(B)).toThrow(/b\.ts is not open/);
		expect(() => editor.didChange(A, 1, [])).toThrow(/version 1 is not newer/);
		expect(() => editor.didChange(A, 2, [{ from: 5, to: 5, insert: "" }])).toThrow(RangeError);
		editor.didClose(B);
		editor.didSave(B);
		editor.didDiagnose(B);
	});

	test("are synchronized in order: opened, changed, saved, focused, closed", async () => {
		const stage = await stageWith("a");
		stage.forget();
		stage.host.type("b");
		stage.host.save(A);
		await stage.open(B, "b");
		stage.host.close(A);
		await settled();
		expect(methodsOf(stage)).toEqual([
			"document/didChange",
			"document/didSave",
			"document/didOpen",
			"document/didFocus",
			"document/didClose",
		]);
	});
});

describe("initialize", () => {
	test("contains only the host's capabilities", async () => {
		const plain = await stageWith("a");
		expect(plain.agent.paramsOf("initialize")[0]).toMatchObject({
			protocolVersion: 1,
			clientInfo: { name: "stage" },
			clientCapabilities: { nes: { jump: {} }, positionEncodings: ["utf-16", "utf-32", "utf-8"] },
		});
		const nes = ({ agent }: EditorFixture) => {
			const [params] = agent.paramsOf("initialize") as { clientCapabilities: acp.ClientCapabilities }[];
			return params?.clientCapabilities.nes;
		};
		expect(nes(plain)).toEqual({ jump: {} });
		const able = await stageWith("a", ({ host }) => {
			host.rename = async () => true;
			host.canSearch(async (files) => files);
		});
		expect(nes(able)).toEqual({ jump: {}, rename: {}, searchAndReplace: {} });
	});

	test("is the only request sent to an agent without next edits", async () => {
		const stage = await stageWith("a", ({ agent }) => {
			agent.nes = undefined;
		});
		await stage.editor.suggest();
		expect(methodsOf(stage)).toEqual(["initialize"]);
		expect(stage.host.notes.at(-1)).toEqual({ kind: "agent", text: "the agent does not support next edits" });
	});
});

describe("the reason why there is no agent", () => {
	test("stays reported while the user types, until the agent is back", async () => {
		const stage = await stageWith("a");
		const problem = { kind: "agent", text: "the agent closed the connection" };
		stage.agent.die();
		await settled();
		stage.host.type("b");
		// Not long enough for the next attempt to connect.
		await stage.pause(900);
		expect(stage.host.notes.at(-1)).toEqual(problem);
		await stage.pause();

		await stage.editor.suggest();
		expect(stage.host.notes.at(-1)).toEqual({ kind: "no-suggestion", text: "no-reason" });
	});

	test("is given again if the same problem occurs again, marked as repeated", async () => {
		const stage = await stageWith("a");
		stage.agent.die();
		await stage.pause();
		stage.forget();
		stage.agent.die();
		await settled();
		stage.host.type("b");
		await stage.pause(900);
		expect(stage.host.notes).toEqual([{ kind: "agent", text: "the agent closed the connection", isRepeated: true }]);
	});
});

describe("a closed editor", () => {
	const states: [string, (stage: EditorFixture) => unknown][] = [
		["while idle", () => {}],
		[
			"while a suggestion is shown",
			async (stage) => {
				stage.script(stage.edit(A, 1, 1, "b"));
				await stage.editor.suggest();
			},
		],
		[
			"while a request is pending",
			(stage) => {
				stage.agent.suggest = () => new Promise(() => {});
				void stage.editor.suggest();
			},
		],
		["while a request is scheduled", (stage) => stage.host.type("b")],
		["while its agent is dead", (stage) => stage.agent.die()],
		[
			"while the session restarts",
			(stage) => {
				stage.host.folders = [];
				stage.editor.didChangeWorkspace();
			},
		],
		[
			"while a suggestion is being accepted",
			async (stage) => {
				stage.script(stage.edit(A, 1, 1, "b"));
				await stage.editor.suggest();
				stage.host.apply = () => new Promise(() => {});
				void stage.editor.tab();
			},
		],
	];

	test.for(states)("%s shows and sends nothing more, but still accepts events", async ([, bring]) => {
		const stage = await stageWith("a");
		await bring(stage);
		await settled();
		await stage.editor.close();
		await settled();
		expect([stage.host.shown, stage.verdicts]).toEqual([undefined, []]);
		const count = stage.agent.received.length;
		stage.host.notes.length = 0;
		await stage.editor.suggest();
		stage.host.type("x");
		stage.host.save(A);
		stage.host.open(B, "b");
		stage.host.focus(B);
		stage.host.diagnose(B, [{ from: 0, to: 1, severity: "error", message: "m" }]);
		stage.editor.didChangeWorkspace();
		expect([await stage.editor.tab(), stage.editor.reject()]).toEqual([false, false]);
		stage.host.close(A);
		await stage.pause(100_000);
		expect(stage.agent.received.slice(count)).toEqual([]);
		expect(stage.host.notes).toEqual([]);
		await stage.editor.close();
	});

	test("cancels its requests before it ends the session", async () => {
		const stage = await stageWith("a");
		stage.agent.suggest = () => new Promise(() => {});
		void stage.editor.suggest();
		await settled();
		stage.forget();
		await stage.editor.close();
		expect(methodsOf(stage)).toEqual(["$/cancel_request", "nes/close"]);
	});

	test("closes before its agent has answered anything", async () => {
		const stage = new EditorFixture();
		await stage.editor.close();
		await stage.pause(100_000);
		expect(stage.agent.received.length).toBeLessThanOrEqual(1);
	});
});

test("an agent that requests no events or context receives only requests and decisions", async () => {
	const stage = await stageWith("a", ({ agent }) => {
		agent.nes = {};
	});
	stage.script(stage.edit(A, 1, 1, "b"));
	stage.host.type("x");
	await stage.pause();
	stage.host.save(A);
	stage.editor.reject();
	await settled();
	const methods = new Set(methodsOf(stage));
	expect([...methods].toSorted()).toEqual(["initialize", "nes/reject", "nes/start", "nes/suggest"]);
	expect(stage.requests.every(({ context }) => context === undefined)).toBe(true);
});

test("context contains only what the agent requested", async () => {
	const stage = await stageWith("a", ({ agent }) => {
		agent.nes = { ...ALL_NES_CAPABILITIES, context: { userActions: { maxCount: 2 }, editHistory: { maxCount: 1 } } };
	});
	stage.host.type("bcd");
	await stage.pause();
	const { context } = stage.requests.at(-1) ?? {};
	expect(Object.keys(context ?? {}).toSorted()).toEqual(["editHistory", "userActions"]);
	expect(context?.userActions?.map(({ position }) => position.character)).toEqual([3, 4]);
	expect(context?.editHistory).toHaveLength(1);
});
