import { DEFAULT_SETTINGS, EMBEDDED } from "@segue/agent/next-edit/settings";
import * as acp from "@segue/protocol/acp";
import { FakeClock } from "@segue/testing/clock";
import {
	A,
	AcpEditor,
	always,
	edit,
	errorCodeOf,
	first,
	noSuggestionReasonOf,
	RENAME_SUGGESTION,
	sceneRecorder,
	segueMetaOf,
	startRename,
} from "@segue/testing/editors/acp-editor";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import { settingFromWire } from "./from-wire.js";
import { configOptionsToWire } from "./to-wire.js";

const SESSION = {
	settings: DEFAULT_SETTINGS,
	initial: { ...DEFAULT_SETTINGS, delayMs: 350, snoozeMinutes: 1 },
	models: [{ name: "ollama/zeta", description: "Format zeta-2 at http://127.0.0.1:11434/v1" }],
	isModel: (name: unknown): name is string => name === EMBEDDED || name === "ollama/zeta",
};

describe("config options", () => {
	test.each([true, false])("include the current value in the choices (booleans supported: %s)", (knowsBooleans) => {
		for (const option of configOptionsToWire(SESSION, knowsBooleans)) {
			if (option.type !== "select") continue;
			expect(option.options).toContainEqual(expect.objectContaining({ value: option.currentValue }));
		}
	});

	test.each([true, false])("can be set to every offered value (booleans supported: %s)", (knowsBooleans) => {
		for (const option of configOptionsToWire(SESSION, knowsBooleans)) {
			const values =
				option.type === "select" ? option.options.flatMap((one) => ("value" in one ? one.value : [])) : [true, false];
			for (const value of values) {
				const settings = { ...SESSION.settings, ...settingFromWire(option.id, value, SESSION) };
				const changed = configOptionsToWire({ ...SESSION, settings }, knowsBooleans);
				const others = changed.filter(({ id }) => id !== option.id);
				expect(changed.find(({ id }) => id === option.id)).toEqual({ ...option, currentValue: value });
				expect(configOptionsToWire(SESSION, knowsBooleans)).toEqual(expect.arrayContaining(others));
			}
		}
	});

	test("offer sorted numbers that include the configured number", () => {
		const options = configOptionsToWire(SESSION, true);
		const namesOf = (id: string) => {
			const option = options.find((one) => one.id === id);
			return option?.type === "select" ? option.options.map(({ name }) => name) : undefined;
		};
		expect(namesOf("nes_delay_ms")).toEqual(["None", "200 ms", "350 ms", "500 ms", "1000 ms", "2000 ms"]);
		expect(namesOf("nes_snooze_minutes")).toEqual(["Off", "1 minute", "5 minutes", "15 minutes", "60 minutes"]);
		expect(namesOf("nes_give_up_after_ignored")).toEqual(["Never", "3 suggestions", "5 suggestions", "10 suggestions"]);
	});

	test.each([
		["nes_enabled", "yes", "params.value: invalid value for nes_enabled"],
		["nes_eagerness", true, "params.value: invalid value for nes_eagerness"],
		["nes_model", "", "params.value: invalid value for nes_model"],
		["nes_model", "ollama/other", "params.value: invalid value for nes_model"],
		["nes_delay_ms", "0.2", "params.value: invalid value for nes_delay_ms"],
		["nes_delay_ms", "300", "params.value: invalid value for nes_delay_ms"],
		["nes_only_when_asked", "manual", "params.value: invalid value for nes_only_when_asked"],
		["nes_snooze_minutes", false, "params.value: invalid value for nes_snooze_minutes"],
		["nes_off_in_comments_and_strings", "", "params.value: invalid value for nes_off_in_comments_and_strings"],
		["nes_give_up_after_ignored", "-1", "params.value: invalid value for nes_give_up_after_ignored"],
		["model", "embedded", "params.configId: unknown option"],
	])("reject an unknown option or value: %s, %s", (configId, value, message) => {
		expect(() => settingFromWire(configId, value, SESSION)).toThrow(message);
	});
});

describe("session settings", () => {
	const current = (options: readonly acp.ConfigOption[]) => options.map(({ id, currentValue }) => [id, currentValue]);
	const DEFAULTS = [
		["nes_enabled", "on"],
		["nes_eagerness", "medium"],
		["nes_model", "embedded"],
		["nes_delay_ms", "0"],
		["nes_only_when_asked", "off"],
		["nes_snooze_minutes", "0"],
		["nes_off_in_comments_and_strings", "off"],
		["nes_give_up_after_ignored", "0"],
	];

	test("are announced after the response to nes/start, which also includes them in _meta", async () => {
		const editor = new AcpEditor();
		await editor.initialize();
		const { sessionId, _meta } = await editor.client.request(acp.nesStart, {});
		await settled();
		const configOptions = segueMetaOf(_meta)["configOptions"] as acp.ConfigOption[];
		expect(current(configOptions)).toEqual(DEFAULTS);
		expect(editor.transcript).toEqual(["#0 result", "#1 result", "session/update"]);
		expect(editor.updates).toEqual([{ sessionId, update: { sessionUpdate: "config_option_update", configOptions } }]);
	});

	test.each([
		[
			"booleans for a client that supports them",
			{ session: { configOptions: { boolean: {} } } },
			"boolean",
			true,
			false,
		],
		["on and off for other clients", {}, "select", "on", "off"],
	])("use %s", async (_what, capabilities, type, yes, no) => {
		const editor = await AcpEditor.open({}, { capabilities });
		const { configOptions } = await editor.set("nes_enabled", no);
		expect(configOptions[0]).toMatchObject({ id: "nes_enabled", type, currentValue: no });
		expect((await editor.set("nes_enabled", yes)).configOptions[0]).toMatchObject({ type, currentValue: yes });
	});

	test("are all included in the response when one of them changes", async () => {
		const editor = await AcpEditor.open();
		const { configOptions } = await editor.set("nes_eagerness", "high");
		expect(current(configOptions)).toEqual(DEFAULTS.with(1, ["nes_eagerness", "high"]));
	});

	test("accept a boolean with a type", async () => {
		const editor = await AcpEditor.open({ [A]: "" });
		const { sessionId } = editor;
		const change = { sessionId, configId: "nes_enabled", type: "boolean", value: false };
		await editor.write("session/set_config_option", change, 77);
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("disabled");
	});

	test.each([
		["nes_enabled", "maybe"],
		["nes_eagerness", "huge"],
		["nes_eagerness", true],
		["nes_model", "other"],
		["toString", "on"],
	])("reject unknown options and values: %s, %s", async (configId, value) => {
		const editor = await AcpEditor.open();
		expect(await errorCodeOf(editor.set(configId, value))).toBe(-32602);
	});

	test("turn suggestions off and on for one session only", async () => {
		const editor = await startRename();
		await editor.set("nes_enabled", "off");
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("disabled");
		const off = editor.sessionId;
		await editor.start();
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("no-text");
		editor.sessionId = off;
		await editor.set("nes_enabled", "on");
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
	});

	test.each(["low", "medium", "high"])("set the engine's eagerness: %s", async (eagerness) => {
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "" }, { predict });
		await editor.set("nes_eagerness", eagerness);
		await editor.suggest(A, 1);
		expect(scenes[0]?.eagerness).toBe(eagerness);
	});

	const automatic = { triggerKind: "automatic" };

	test("disable automatic suggestions and include the reason and the next step in the response", async () => {
		const editor = await startRename();
		await editor.set("nes_only_when_asked", "on");
		const answer = await editor.suggest(A, 2, automatic);
		expect(noSuggestionReasonOf(answer)).toBe("only-when-asked");
		expect(segueMetaOf(answer._meta)["detail"]).toMatch(/Request one manually/);
		expect(await first(editor)).toMatchObject(RENAME_SUGGESTION);
	});

	test("snooze for the chosen number of minutes", async () => {
		const clock = new FakeClock();
		const editor = await startRename({ now: clock.now });
		await editor.set("nes_snooze_minutes", "15");
		expect(noSuggestionReasonOf(await editor.suggest(A, 2, automatic))).toBe("snoozed");
		clock.advance(15 * 60_000);
		expect((await editor.suggest(A, 2, automatic)).suggestions[0]).toMatchObject(RENAME_SUGGESTION);
		const { configOptions } = await editor.set("nes_eagerness", "medium");
		expect(current(configOptions)).toEqual(DEFAULTS);
	});

	test("delay the response to an automatic request, which can still be cancelled", async () => {
		const clock = new FakeClock();
		const editor = await startRename({ now: clock.now, after: clock.after });
		await editor.set("nes_delay_ms", "500");
		const cancelling = new AbortController();
		const cancelled = errorCodeOf(editor.suggest(A, 2, automatic, cancelling.signal));
		const answer = editor.suggest(A, 2, automatic);
		await settled();
		cancelling.abort();
		expect(await cancelled).toBe(-32800);
		clock.advance(500);
		expect((await answer).suggestions[0]).toMatchObject(RENAME_SUGGESTION);
	});

	test("give up after several ignored suggestions until a manual request", async () => {
		const editor = await AcpEditor.open({ [A]: "a" }, { predict: always(edit(A, 0, 0, "x")) });
		await editor.set("nes_give_up_after_ignored", "3");
		for (let i = 0; i < 3; i++) {
			const { suggestions } = await editor.suggest(A, 1, automatic);
			editor.reject(suggestions[0]?.id ?? "", "ignored");
		}
		expect(noSuggestionReasonOf(await editor.suggest(A, 1, automatic))).toBe("gave-up");
		expect((await editor.suggest(A, 1)).suggestions).toHaveLength(1);
		expect((await editor.suggest(A, 1, automatic)).suggestions).toHaveLength(1);
	});

	test("disable automatic suggestions in comments and strings", async () => {
		const editor = await AcpEditor.open({ [A]: "// a" }, { predict: always(edit(A, 0, 0, "x")) });
		await editor.set("nes_off_in_comments_and_strings", "on");
		const inComment = { ...automatic, position: { line: 0, character: 4 } };
		expect(noSuggestionReasonOf(await editor.suggest(A, 1, inComment))).toBe("off-in-comments-and-strings");
		expect((await editor.suggest(A, 1, automatic)).suggestions).toHaveLength(1);
	});
});
