import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { MONACO_CLIENT } from "./agent-channel.js";

test("sends the package's version to the agent", () => {
	const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, "..", "package.json"), "utf8"));
	expect(MONACO_CLIENT.version).toBe(manifest.version);
});
