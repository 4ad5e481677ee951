import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "./version.js";

test("is the version in package.json", () => {
	const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
	expect(VERSION).toBe(manifest.version);
});
