import { signal } from "@preact/signals";
import { expect, test, vi } from "vitest";
import type { Playground } from "../playground.js";
import { Guide } from "./guide.js";
import { LESSONS } from "./lessons.js";

// The lessons name the keys of the user's platform.
vi.hoisted(() => vi.stubGlobal("navigator", { platform: "" }));

const [first] = LESSONS;

test.each<[string, object | undefined, boolean]>([
	["is shown with its own project", first?.project, true],
	["is hidden for another project", { ...first?.project, name: "other" }, false],
	["is hidden for a user's folder with the same name", { ...first?.project, folder: {} }, false],
	["is hidden before a project is open", undefined, false],
])("a lesson %s", (_, project, isShown) => {
	const bench = {
		project: signal(project),
		tabs: signal([]),
		active: signal(),
		lastChange: signal(),
		textOf: () => "",
	};
	const playground = { bench, shown: signal(), note: signal() } as unknown as Playground;
	const guide = new Guide(playground, async () => {});
	expect(guide.lesson).toBe(isShown ? first : undefined);
});
