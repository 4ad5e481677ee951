import type { Prediction, Scene, Trigger, Workspace } from "@segue/predict";
import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { Change, languageOf, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ModelChoice, SessionModels } from "./models.js";
import { matchesFile, type QuietReason, quietReason } from "./quiet.js";
import { NO_CONTEXT } from "./request.js";
import { CancelledError, type NextEditResponse, NextEditSession } from "./session.js";
import { DEFAULT_SETTINGS, type Settings } from "./settings.js";

const ROOT = "file:///shop";
const WORKSPACE: Workspace = { uri: ROOT, folders: [{ uri: ROOT, name: "shop" }], repository: undefined };
const MINUTE_MS = 60_000;

/** Suggests appending an exclamation mark to any document. */
const exclaim = ({ document: { uri, text } }: { document: { uri: string; text: Text } }): Prediction => ({
	suggestions: [
		{
			...{ kind: "edit", uri, edits: [{ from: text.length, to: text.length, insert: "!" }], cursor: text.length + 1 },
			...{ predictor: "repeat", rules: ["exclaim"], confidence: 1, why: "Exclaim", key: "!" },
		},
	],
});

interface UserOptions {
	readonly path?: string;
	readonly text?: string;
	readonly choice?: Promise<ModelChoice>;
	/** Predicts without a model. */
	readonly rules?: (scene: Scene) => Prediction;
}

/** A user who edits one document in a session, with a fake clock. */
class User {
	readonly clock = new FakeClock();
	readonly session: NextEditSession;
	private version = 1;
	readonly uri: string;
	offered: string | undefined;
	/** The document texts for which suggestions were predicted. */
	readonly predicted: string[] = [];

	constructor(
		settings: Partial<Settings> = {},
		{ path = "a.ts", text = "log(a)\n", choice, rules = exclaim }: UserOptions = {},
	) {
		this.uri = `${ROOT}/${path}`;
		const { now, after } = this.clock;
		const predict = (scene: Scene) => {
			this.predicted.push(scene.document.text.toString());
			return rules(scene);
		};
		const fail = (error: unknown) => {
			throw error;
		};
		const models = choice && new SessionModels(choice, predict, fail);
		this.session = new NextEditSession({ kinds: new Set(), workspace: WORKSPACE, predict, models, now, after });
		this.session.set(settings);
		this.session.didOpen({ uri: this.uri, languageId: languageOf(path), version: 1, text: Text.of(text) });
	}

	type(insert = "x"): void {
		const length = this.session.held(this.uri)?.document.text.length ?? 0;
		const change = Change.of([{ from: length, to: length, insert }], length);
		this.session.didChange({ uri: this.uri, version: ++this.version, change, isWhole: false });
	}

	suggest(trigger: Trigger = "automatic", cursor = 0, signal = new AbortController().signal) {
		const { uri, version } = this;
		const request = { uri, version, cursor, anchor: cursor, trigger, context: NO_CONTEXT };
		return this.session.suggest(request, { signal });
	}

	/** The text of the suggestion, or the reason why there is none. */
	async reasonFor(trigger: Trigger = "automatic", cursor = 0): Promise<string> {
		const answer = await this.suggest(trigger, cursor);
		this.offered = "suggestions" in answer ? answer.suggestions[0].id : undefined;
		return wordOf(answer);
	}

	ignore(): void {
		this.session.reject(this.offered ?? "", "ignored");
	}
}

function wordOf(answer: NextEditResponse): string {
	if ("silence" in answer) return answer.silence;
	const { suggestion } = answer.suggestions[0];
	return suggestion.kind === "edit" ? (suggestion.edits[0]?.insert ?? "") : suggestion.kind;
}

describe("delayMs", () => {
	test("delays the response to an automatic request after the last change", async () => {
		const user = new User({ delayMs: 200 });
		user.type();
		user.clock.advance(50);
		let answer: NextEditResponse | undefined;
		void Promise.resolve(user.suggest()).then((made) => {
			answer = made;
		});
		user.clock.advance(149);
		await settled();
		expect(answer).toBeUndefined();
		user.clock.advance(1);
		await settled();
		expect(answer && wordOf(answer)).toBe("!");
		expect(user.clock.isIdle).toBe(true);
	});

	test("does not delay later requests, manual requests, or requests before any change", () => {
		const user = new User({ delayMs: 200 });
		expect(user.suggest()).not.toBeInstanceOf(Promise);
		user.type();
		expect(user.suggest("manual")).not.toBeInstanceOf(Promise);
		user.clock.advance(200);
		expect(user.suggest()).not.toBeInstanceOf(Promise);
	});

	test("does not delay the suggestion after an accepted one", async () => {
		const user = new User({ delayMs: 200 });
		await user.reasonFor();
		user.type("!");
		user.session.accept(user.offered ?? "");
		expect(user.suggest()).not.toBeInstanceOf(Promise);
	});

	test("starts with the request for an attached document", async () => {
		const user = new User({ delayMs: 200 });
		const text = Text.of("a");
		const uri = `${ROOT}/attached.ts`;
		const context = { ...NO_CONTEXT, attached: [{ uri, languageId: "typescript", text }] };
		const request = { uri, version: 1, cursor: 0, anchor: 0, trigger: "automatic" as const, context };
		const answer = user.session.suggest(request, { signal: new AbortController().signal });
		expect(answer).toBeInstanceOf(Promise);
		user.clock.advance(200);
		expect(wordOf(await answer)).toBe("!");
	});

	test("ends when the request is cancelled or the session is closed", async () => {
		const user = new User({ delayMs: 200 });
		user.type();
		const cancelling = new AbortController();
		const cancelled = expect(user.suggest("automatic", 0, cancelling.signal)).rejects.toBeInstanceOf(CancelledError);
		cancelling.abort();
		await cancelled;
		expect(user.clock.isIdle).toBe(true);
		const closed = expect(user.suggest()).rejects.toBeInstanceOf(CancelledError);
		await user.session.close();
		await closed;
		expect(user.clock.isIdle).toBe(true);
	});

	test("ends with the reason `stale` if the user continues to type", async () => {
		const user = new User({ delayMs: 200 });
		user.type();
		const answer = user.suggest();
		user.type();
		expect(wordOf(await answer)).toBe("stale");
		expect(user.clock.isIdle).toBe(true);
	});

	test("predicts after the pause, using the text at the time of the request", async () => {
		const user = new User({ delayMs: 200 });
		user.type();
		const early = user.suggest();
		user.type();
		expect(wordOf(await early)).toBe("stale");
		const answer = user.suggest();
		user.clock.advance(199);
		expect(user.predicted).toEqual([]);
		user.clock.advance(1);
		expect(wordOf(await answer)).toBe("!");
		expect(user.predicted).toEqual(["log(a)\nxx"]);
	});

	test("applies a setting that changes during the delay", async () => {
		const user = new User({ delayMs: 200 });
		user.type();
		const answer = user.suggest();
		user.session.set({ snoozeMinutes: 5 });
		user.clock.advance(200);
		expect(wordOf(await answer)).toBe("snoozed");
		expect(user.predicted).toEqual([]);
	});
});

test("onlyWhenAsked allows only manual requests", async () => {
	const user = new User({ onlyWhenAsked: true });
	expect(await user.reasonFor("automatic")).toBe("only-when-asked");
	expect(await user.reasonFor("diagnostic")).toBe("only-when-asked");
	expect(await user.reasonFor("manual")).toBe("!");
	user.session.set({ onlyWhenAsked: false });
	expect(await user.reasonFor("automatic")).toBe("!");
});

describe("snoozeMinutes", () => {
	test.each([5, 15, 60])("suppresses automatic requests for %i minutes", async (snoozeMinutes) => {
		const user = new User({ snoozeMinutes });
		user.clock.advance(snoozeMinutes * MINUTE_MS - 1);
		expect(await user.reasonFor()).toBe("snoozed");
		expect(await user.reasonFor("manual")).toBe("!");
		expect(user.session.settings.snoozeMinutes).toBe(snoozeMinutes);
		user.clock.advance(1);
		expect(await user.reasonFor()).toBe("!");
		expect(user.session.settings.snoozeMinutes).toBe(0);
	});

	test("restarts when it is set again, and ends when set to 0", async () => {
		const user = new User({ snoozeMinutes: 5 });
		user.clock.advance(4 * MINUTE_MS);
		user.session.set({ snoozeMinutes: 5 });
		user.clock.advance(4 * MINUTE_MS);
		expect(await user.reasonFor()).toBe("snoozed");
		user.session.set({ snoozeMinutes: 0 });
		expect(await user.reasonFor()).toBe("!");
	});

	test("continues when another setting changes", async () => {
		const user = new User({ snoozeMinutes: 5 });
		user.session.set({ eagerness: "high" });
		expect(await user.reasonFor()).toBe("snoozed");
	});
});

test("offInLanguages also applies to manual requests, and only to the listed languages", async () => {
	const offInLanguages = ["Markdown", "plaintext"];
	const notes = new User({ offInLanguages }, { path: "notes.md" });
	expect(await notes.reasonFor("automatic")).toBe("off-in-language");
	expect(await notes.reasonFor("manual")).toBe("off-in-language");
	expect(await new User({ offInLanguages }, { path: "a.ts" }).reasonFor()).toBe("!");
});

describe("offInFiles", () => {
	test("also applies to manual requests", async () => {
		const user = new User({ offInFiles: ["*.test.ts"] }, { path: "src/a.test.ts" });
		expect(await user.reasonFor("automatic")).toBe("off-in-file");
		expect(await user.reasonFor("manual")).toBe("off-in-file");
		user.session.set({ offInFiles: [] });
		expect(await user.reasonFor("automatic")).toBe("!");
	});

	test.each<[string, string, boolean]>([
		["*.md", "file:///shop/docs/a.md", true],
		["*.md", "file:///shop/docs/a.mdx", false],
		["docs/**", "file:///shop/docs/deep/a.md", true],
		["docs/**", "file:///shop/packages/docs/a.md", false],
		["**/docs/**", "file:///shop/packages/docs/a.md", true],
		["inner/*.ts", "file:///shop/inner/a.ts", true],
		["inner/a.ts", "file:///shop/nested/inner/a.ts", true],
		["nested/inner/a.ts", "file:///shop/nested/inner/a.ts", false],
		["!src/**", "file:///shop/src/a.ts", false],
		["!src/**", "file:///shop/lib/a.ts", true],
		["/shop/docs/**", "file:///shop/docs/a.md", true],
		["/docs/**", "file:///shop/docs/a.md", false],
		["C:/x/*", "file:///c%3A/x/a.ts", true],
		["other/*.ts", "file:///other/a.ts", true],
		["a b#.ts", "file:///shop/a%20b%23.ts", true],
		["Untitled*", "untitled:Untitled-1", true],
	])("matches %s with %s: %s", (pattern, uri, isOff) => {
		const nested = { uri: "file:///shop/nested", name: "nested" };
		const workspace = { ...WORKSPACE, folders: [...WORKSPACE.folders, nested] };
		expect(matchesFile(uri, [pattern], workspace)).toBe(isOff);
	});

	test("applies if patterns take too long to match", () => {
		const patterns = Array.from({ length: 100 }, () => `${"!(a)*".repeat(39)}b`);
		expect(matchesFile(`file:///shop/${"a".repeat(200)}`, patterns, WORKSPACE)).toBe(true);
	});
});

test("offInCommentsAndStrings allows automatic suggestions only in code", async () => {
	const text = 'log("a") // b\nlog(c)';
	const user = new User({ offInCommentsAndStrings: true }, { text });
	expect(await user.reasonFor("automatic", text.indexOf('"a"') + 1)).toBe("off-in-comments-and-strings");
	expect(await user.reasonFor("automatic", text.indexOf(" b"))).toBe("off-in-comments-and-strings");
	expect(await user.reasonFor("manual", text.indexOf(" b"))).toBe("!");
	expect(await user.reasonFor("automatic", text.indexOf("c)"))).toBe("!");
});

describe("giveUpAfterIgnored", () => {
	const passOver = async (user: User, times: number, reason: "ignored" | "rejected" = "ignored") => {
		for (let i = 0; i < times; i++) {
			expect(await user.reasonFor()).toBe("!");
			user.session.reject(user.offered ?? "", reason);
		}
	};

	test.each(["ignored", "rejected"] as const)(
		"pauses suggestions after the configured number were %s",
		async (reason) => {
			const user = new User({ giveUpAfterIgnored: 3 });
			await passOver(user, 3, reason);
			expect(await user.reasonFor()).toBe("gave-up");
			expect(await user.reasonFor()).toBe("gave-up");
		},
	);

	test.each<[string, (user: User) => Promise<unknown> | void]>([
		["makes a manual request", (user) => user.reasonFor("manual")],
		["changes the setting", (user) => user.session.set({ giveUpAfterIgnored: 2 })],
	])("resumes when the user %s", async (_what, resume) => {
		const user = new User({ giveUpAfterIgnored: 2 });
		await passOver(user, 2);
		expect(await user.reasonFor()).toBe("gave-up");
		await resume(user);
		await passOver(user, 2);
		expect(await user.reasonFor()).toBe("gave-up");
	});

	test("starts counting again after an accepted suggestion", async () => {
		const user = new User({ giveUpAfterIgnored: 2 });
		await passOver(user, 1);
		await user.reasonFor();
		user.session.accept(user.offered ?? "");
		await passOver(user, 2);
		expect(await user.reasonFor()).toBe("gave-up");
	});

	test("does not count replaced, cancelled or withdrawn suggestions", async () => {
		const user = new User({ giveUpAfterIgnored: 1 });
		for (const reason of ["replaced", "cancelled", undefined] as const) {
			expect(await user.reasonFor()).toBe("!");
			user.session.reject(user.offered ?? "", reason);
		}
		await passOver(user, 1);
		expect(await user.reasonFor()).toBe("gave-up");
	});

	test("counts several suggestions in one response as one", async () => {
		const two = ({ document: { uri } }: { document: { uri: string } }): Prediction => {
			const [one] = (exclaim({ document: { uri, text: Text.of("") } }) as { suggestions: readonly [never] })
				.suggestions;
			return { suggestions: [one, one] };
		};
		const { now } = new FakeClock();
		const session = new NextEditSession({ kinds: new Set(), workspace: WORKSPACE, predict: two, now });
		session.set({ giveUpAfterIgnored: 2 });
		const uri = `${ROOT}/a.ts`;
		session.didOpen({ uri, languageId: "typescript", version: 1, text: Text.of("a") });
		const request = { uri, version: 1, cursor: 0, anchor: 0, trigger: "automatic" as const, context: NO_CONTEXT };
		for (const expected of [true, true, false]) {
			const answer = await session.suggest(request, { signal: new AbortController().signal });
			expect("suggestions" in answer).toBe(expected);
			if ("suggestions" in answer) for (const { id } of answer.suggestions) session.reject(id, "ignored");
		}
	});

	test("never pauses if set to 0", async () => {
		await passOver(new User({ giveUpAfterIgnored: 0 }), 20);
	});
});

describe("configured settings", () => {
	const choice = (settings: ModelChoice["settings"]): ModelChoice => ({
		...{ chosen: "embedded", settings, models: [], trouble: undefined },
		predictorOf: () => {
			throw new Error("no model is listed");
		},
		...{ isPrivate: () => false, changed: () => {} },
	});

	test("apply to an automatic request that arrives before they are loaded", async () => {
		const known = deferred();
		const user = new User({}, { choice: known.opened.then(() => choice({ onlyWhenAsked: true })) });
		const answer = user.suggest("automatic");
		expect(wordOf(await user.suggest("manual"))).toBe("!");
		known.open();
		expect(wordOf(await answer)).toBe("only-when-asked");
	});

	test("hide a file from a model even if a manual request arrives before they are loaded", async () => {
		const known = deferred();
		const sent: string[] = [];
		const model: ModelChoice = {
			...choice({ offInFiles: ["*.ts"] }),
			chosen: "test/model",
			models: [{ name: "test/model", description: "" }],
			predictorOf: () => ({
				predict: ({ document }) => {
					sent.push(document.uri);
					return { silence: "no-edit" };
				},
				...{ recordFeedback: () => {}, close: () => {} },
			}),
		};
		const user = new User({}, { choice: known.opened.then(() => model), rules: () => ({ silence: "nothing-found" }) });
		const answer = user.suggest("manual");
		known.open();
		expect(wordOf(await answer)).toBe("off-in-file");
		expect(sent).toEqual([]);
	});

	test("apply again after the client unsets its own settings, including the model", async () => {
		const model: ModelChoice = {
			...choice({ delayMs: 100 }),
			chosen: "test/model",
			models: [{ name: "test/model", description: "" }],
			predictorOf: () => ({ predict: () => ({ silence: "no-edit" }), recordFeedback: () => {}, close: () => {} }),
		};
		const user = new User({}, { choice: Promise.resolve(model) });
		await user.session.preparing;
		user.session.set({ model: "embedded", delayMs: 0 });
		user.session.unset(["model", "delayMs"]);
		expect(user.session.settings).toMatchObject({ model: "test/model", delayMs: 100 });
	});

	test("turn off suggestions for a request that arrives before they are loaded", async () => {
		const user = new User({}, { choice: Promise.resolve(choice({ isEnabled: false })) });
		expect(await user.reasonFor()).toBe("disabled");
	});

	test("do not override settings that the client has set", async () => {
		const known = deferred();
		const configured = { eagerness: "low", snoozeMinutes: 60, delayMs: 100 } as const;
		const user = new User({}, { choice: known.opened.then(() => choice(configured)) });
		user.session.set({ eagerness: "high", snoozeMinutes: 0 });
		known.open();
		await user.session.preparing;
		expect(user.session.settings).toMatchObject({ eagerness: "high", snoozeMinutes: 0, delayMs: 100 });
		expect(user.session.initial).toMatchObject(configured);
		expect(await user.reasonFor()).toBe("!");
	});

	test("start a snooze when they are loaded", async () => {
		const user = new User({}, { choice: Promise.resolve(choice({ snoozeMinutes: 5 })) });
		await user.session.preparing;
		expect(await user.reasonFor()).toBe("snoozed");
		user.clock.advance(5 * MINUTE_MS);
		expect(await user.reasonFor()).toBe("!");
	});
});

test("every suppressed response states the reason and the next step", async () => {
	const answers = [
		await new User({ onlyWhenAsked: true }).suggest(),
		await new User({ snoozeMinutes: 5 }).suggest(),
		await new User({ offInLanguages: ["typescript"] }).suggest(),
		await new User({ offInFiles: ["*.ts"] }).suggest(),
		await new User({ offInCommentsAndStrings: true }, { text: "// a" }).suggest("automatic", 4),
	];
	for (const answer of answers) {
		expect(answer).toMatchObject({ silence: expect.any(String), detail: expect.stringMatching(/^[A-Z].*\. .*`.*\.$/) });
	}
});

describe("additional controls", () => {
	const arbitraryControls = fc.record({
		onlyWhenAsked: fc.boolean(),
		offInLanguages: fc.subarray(["typescript", "markdown"]),
		offInFiles: fc.subarray(["*.ts", "docs/**", "!**/*.md"]),
		offInCommentsAndStrings: fc.boolean(),
		giveUpAfterIgnored: fc.constantFrom(0, 1, 3),
	});
	const both = (one: Partial<Settings>, other: Partial<Settings>): Settings => {
		const limits = [one.giveUpAfterIgnored ?? 0, other.giveUpAfterIgnored ?? 0].filter((limit) => limit > 0);
		return {
			...DEFAULT_SETTINGS,
			onlyWhenAsked: one.onlyWhenAsked === true || other.onlyWhenAsked === true,
			offInLanguages: [...(one.offInLanguages ?? []), ...(other.offInLanguages ?? [])],
			offInFiles: [...(one.offInFiles ?? []), ...(other.offInFiles ?? [])],
			offInCommentsAndStrings: one.offInCommentsAndStrings === true || other.offInCommentsAndStrings === true,
			giveUpAfterIgnored: limits.length === 0 ? 0 : Math.min(...limits),
		};
	};
	const arbitraryScene = fc
		.record({
			path: fc.constantFrom("a.ts", "docs/a.ts", "docs/b.md", "c.md"),
			trigger: fc.constantFrom<Trigger>("automatic", "diagnostic", "manual"),
			text: fc.constantFrom('a("b")', "// c", "`d`"),
			at: fc.nat(6),
		})
		.map(({ path, trigger, text, at }) => {
			const document = { uri: `${ROOT}/${path}`, languageId: languageOf(path), version: 1, text: Text.of(text) };
			return { document, cursor: Math.min(at, text.length), trigger, workspace: WORKSPACE };
		});
	const arbitraryState = fc.record({ isSnoozed: fc.boolean(), ignoredInARow: fc.nat(4) });

	test("never allow more suggestions", () => {
		const seen = new Set<QuietReason | undefined>();
		fc.assert(
			fc.property(
				arbitraryScene,
				arbitraryControls,
				arbitraryControls,
				arbitraryState,
				fc.boolean(),
				(scene, some, others, state, isSnoozedToo) => {
					const few = quietReason(scene, { ...DEFAULT_SETTINGS, ...some }, state);
					const more = { ...state, isSnoozed: state.isSnoozed || isSnoozedToo };
					const many = quietReason(scene, both(some, others), more);
					seen.add(few).add(many);
					if (few !== undefined) expect(many).toBeDefined();
					if (scene.trigger === "manual") expect(["off-in-language", "off-in-file", undefined]).toContain(many);
				},
			),
			{ numRuns: 2000, seed: 1 },
		);
		expect(seen.size).toBe(7);
	});
});
