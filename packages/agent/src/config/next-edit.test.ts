import { Home } from "@segue/testing/process/home";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../next-edit/settings.js";
import { readConfiguration } from "./configuration.js";
import { configuredSettings } from "./next-edit.js";
import { readSessionSettings } from "./session-settings.js";

const ALL = {
	enabled: false,
	eagerness: "high",
	delayMs: 350,
	onlyWhenAsked: true,
	snoozeMinutes: 15,
	offInLanguages: ["markdown"],
	offInFiles: ["*.env", "docs/**"],
	offInCommentsAndStrings: true,
	giveUpAfterIgnored: 5,
};
const { enabled: isEnabled, ...OTHERS } = ALL;
const SETTINGS = { isEnabled, ...OTHERS };

function read(user: unknown, project: unknown = {}) {
	using home = new Home({ "home/config.json": { nextEdit: user }, "project/.segue.json": { nextEdit: project } });
	const { nextEdit, problems, leftOut } = readConfiguration({
		...{ folder: home.project, env: { SEGUE_HOME: home.home }, flags: {} },
	});
	return { settings: configuredSettings(nextEdit), nextEdit, problems, leftOut };
}

describe("session settings in the configuration", () => {
	test("are the defaults if nothing is configured", () => {
		const { model: _, ...defaults } = DEFAULT_SETTINGS;
		expect(read({}).settings).toEqual(defaults);
	});

	test("have one key each", () => {
		const { settings, problems, nextEdit } = read(ALL);
		expect(problems).toEqual([]);
		expect(settings).toEqual(SETTINGS);
		expect(nextEdit.delayMs.origin).toMatchObject({ from: "user", where: expect.stringContaining("config.json:1:") });
		expect(new Set(Object.keys(SETTINGS))).toEqual(
			new Set(Object.keys(DEFAULT_SETTINGS).filter((key) => key !== "model")),
		);
	});

	test("from a project can reduce suggestions without trust, but can only extend the user's lists", () => {
		const project = {
			...{ enabled: false, onlyWhenAsked: true, offInCommentsAndStrings: true },
			...{ offInLanguages: ["plaintext"], offInFiles: ["generated/**"] },
		};
		const { settings, leftOut, nextEdit } = read({ offInFiles: ["*.env"] }, project);
		expect(leftOut).toEqual([]);
		const { enabled: _, ...others } = project;
		expect(settings).toMatchObject({ ...others, isEnabled: false, offInFiles: ["*.env", "generated/**"] });
		expect(nextEdit.offInFiles.map(({ origin }) => origin.from)).toEqual(["user", "workspace"]);
	});

	test("from a project need trust if they allow more suggestions or set a time or a limit", () => {
		const project = {
			...{ enabled: true, onlyWhenAsked: false, offInCommentsAndStrings: false },
			...{ eagerness: "high", delayMs: 0, snoozeMinutes: 0, giveUpAfterIgnored: 0 },
		};
		const { settings, leftOut } = read(ALL, project);
		expect(settings).toEqual(SETTINGS);
		expect(leftOut.toSorted()).toEqual(
			Object.keys(project)
				.map((key) => `nextEdit.${key}`)
				.toSorted(),
		);
	});
});

const WRONG: [string, unknown, string][] = [
	["enabled", "yes", "enabled must be true or false."],
	["eagerness", "huge", "eagerness must be low, medium or high."],
	["delayMs", "500", "delayMs must be a whole number of milliseconds from 0 to 5000."],
	["delayMs", -1.5, "delayMs must be a whole number of milliseconds from 0 to 5000."],
	["delayMs", 5001, "delayMs must be a whole number of milliseconds from 0 to 5000."],
	["onlyWhenAsked", 1, "onlyWhenAsked must be true or false."],
	["snoozeMinutes", 1441, "snoozeMinutes must be a whole number of minutes from 0 to 1440."],
	["offInLanguages", "markdown", "offInLanguages must be an array of language ids."],
	["offInLanguages", ["markdown", ""], "offInLanguages[1] must be a language id, such as markdown."],
	["offInFiles", ["*.md", 1], "offInFiles[1] must be a glob, such as *.md or docs/**."],
	["offInFiles", [" "], "offInFiles[0] must be a glob, such as *.md or docs/**."],
	["offInFiles", ["(".repeat(60) + ")".repeat(60)], "offInFiles[0] must be a glob, such as *.md or docs/**."],
	["offInFiles", ["a".repeat(201)], "offInFiles[0] must be at most 200 characters long."],
	["offInFiles", Array(101).fill("a"), "offInFiles must be an array of at most 100 globs."],
	["offInCommentsAndStrings", null, "offInCommentsAndStrings must be true or false."],
	["giveUpAfterIgnored", 101, "giveUpAfterIgnored must be a whole number of suggestions from 0 to 100."],
	["onlyWhenAskd", true, "onlyWhenAskd is not a setting; did you mean onlyWhenAsked?"],
];

test.each(WRONG.filter(([key]) => key !== "onlyWhenAskd"))(
	"reports an invalid value of %s in a file: %j",
	(key, value, problem) => {
		const { problems } = read({ [key]: value });
		expect(problems.map((text) => text.replace(/^.*?: nextEdit\./, ""))).toEqual([problem]);
	},
);

describe("readSessionSettings", () => {
	test("reads the same keys as the configuration file", () => {
		expect(readSessionSettings(ALL)).toEqual({ settings: SETTINGS, problems: [] });
	});

	test.each(WRONG.filter(([, value]) => value !== null))(
		"uses all values except an invalid one: %s, %j",
		(key, value, problem) => {
			const { settings, problems } = readSessionSettings({ ...ALL, [key]: value });
			expect(problems).toEqual([problem]);
			const wrong = key === "enabled" ? "isEnabled" : key;
			expect(settings).toEqual(Object.fromEntries(Object.entries(SETTINGS).filter(([name]) => name !== wrong)));
		},
	);

	test.for<unknown>([undefined, null, {}, { delayMs: null, model: "ollama/zeta", inlay: true, toString: 1 }])(
		"returns no settings if nothing is set: %j",
		(sent) => {
			expect(readSessionSettings(sent)).toEqual({ settings: {}, problems: [] });
		},
	);

	test.for(["on", 1, [], [ALL]])("rejects a value that is not an object: %j", (sent) => {
		expect(readSessionSettings(sent)).toEqual({
			settings: {},
			problems: ["The next-edit settings must be an object."],
		});
	});
});
