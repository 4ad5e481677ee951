import { expect, test } from "vitest";
import { resized } from "./splitter.js";

test.each<[string, "explorer" | "panels", number, { explorer: number; panels: number }]>([
	["keeps the size of the other part if there is room", "panels", 50, { explorer: 18, panels: 50 }],
	["stays within the maximum, and the other part makes room", "panels", 100, { explorer: 15, panels: 65 }],
	["stays within the minimum", "explorer", 0, { explorer: 10, panels: 40 }],
	["leaves a fifth of the width for the editor", "explorer", 40, { explorer: 40, panels: 40 }],
])("resizing a part of the page %s", (_, pane, to, sizes) => {
	expect(resized({ explorer: 18, panels: 40 }, pane, to)).toEqual(sizes);
});

test("both parts at their maximum leave a fifth of the width for the editor", () => {
	const wide = resized({ explorer: 18, panels: 40 }, "panels", 65);
	expect(resized(wide, "explorer", 40)).toEqual({ explorer: 40, panels: 40 });
});
