import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "./command.js";

afterEach(() => void vi.unstubAllGlobals());

test.each<[string, object, string]>([
	["reports success", { clipboard: { writeText: async () => {} } }, "Copied"],
	[
		"reports that the browser refused to copy",
		{ clipboard: { writeText: () => Promise.reject(new Error()) } },
		"Copying failed",
	],
	["reports that the page has no clipboard", {}, "Copying failed"],
])("copying code %s", async (_, navigator, message) => {
	vi.stubGlobal("navigator", navigator);
	expect(await copyText("x")).toBe(message);
});
