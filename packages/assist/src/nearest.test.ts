import { expect, test } from "vitest";
import { nearest } from "./nearest.js";

const NAMES = ["effort", "model", "url", "help", "files"];

test.for<[string, string | undefined]>([
	["efort", "effort"],
	["EFFORT", "effort"],
	["mdoel", "model"],
	["hlep", "help"],
	["ulr", "url"],
	["lur", undefined],
	["flies", "files"],
	["wings", undefined],
	["x".repeat(100_000), undefined],
])("the nearest name for %s is %s", ([typed, meant]) => {
	expect(nearest(typed, NAMES)).toBe(meant);
});
