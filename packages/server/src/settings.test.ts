import { describe, expect, test } from "vitest";
import { changeSetting, configOptionsOf, DEFAULT_SETTINGS } from "./settings.js";

describe("the settings", () => {
	test.each([true, false])("are shown with choices of which the present one is one: booleans %s", (knowsBooleans) => {
		for (const option of configOptionsOf(DEFAULT_SETTINGS, knowsBooleans)) {
			if (option.type !== "select") continue;
			expect(option.options.map(({ value }) => value)).toContain(option.currentValue);
		}
	});

	test.each([true, false])("can be set to everything that they are shown with: booleans %s", (knowsBooleans) => {
		for (const option of configOptionsOf(DEFAULT_SETTINGS, knowsBooleans)) {
			const values = option.type === "select" ? option.options.map(({ value }) => value) : [true, false];
			for (const value of values) {
				const changed = configOptionsOf(changeSetting(DEFAULT_SETTINGS, option.id, value), knowsBooleans);
				const others = changed.filter(({ id }) => id !== option.id);
				expect(changed.find(({ id }) => id === option.id)).toEqual({ ...option, currentValue: value });
				expect(configOptionsOf(DEFAULT_SETTINGS, knowsBooleans)).toEqual(expect.arrayContaining(others));
			}
		}
	});

	test.each([
		["nes_enabled", "yes", "params.value: not a value of nes_enabled"],
		["nes_eagerness", true, "params.value: not a value of nes_eagerness"],
		["nes_model", "", "params.value: not a value of nes_model"],
		["model", "embedded", "params.configId: there is no such option"],
	])("refuse what they are not shown with: %s, %s", (configId, value, message) => {
		expect(() => changeSetting(DEFAULT_SETTINGS, configId, value)).toThrow(message);
	});
});
