import { afterEach, expect, test, vi } from "vitest";
import { forgetRecentFolders, recentFolders, rememberFolder } from "./recent-folders.js";

afterEach(() => void vi.unstubAllGlobals());

test("recent folders work in a browser without storage", () => {
	vi.stubGlobal("localStorage", {
		setItem: () => {
			throw new Error("full");
		},
	});
	forgetRecentFolders();
	rememberFolder("/a");
	rememberFolder("/b");
	rememberFolder("/a");
	expect(recentFolders.value).toEqual(["/a", "/b"]);
	forgetRecentFolders();
	expect(recentFolders.value).toEqual([]);
});
