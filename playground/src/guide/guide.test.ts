import { signal } from "@preact/signals";
import { describe, expect, test, vi } from "vitest";
import type { Playground } from "../playground.js";
import type { Project } from "../projects/project.js";
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

/** A page on which a lesson is open, without an editor or an agent. */
class GuidePage {
	readonly guide: Guide;
	readonly shown = signal<object | undefined>(undefined);
	private readonly note = signal<object | undefined>(undefined);
	private readonly texts = new Map<string, string>();
	private readonly bench = {
		project: signal<Project | undefined>(undefined),
		tabs: signal<readonly { uri: string; path: string }[]>([]),
		active: signal(""),
		lastChange: signal<object | undefined>(undefined),
		textOf: (path: string) => this.texts.get(path),
	};

	private constructor() {
		const playground = {
			editor: undefined,
			bench: this.bench,
			shown: this.shown,
			note: this.note,
		} as unknown as Playground;
		this.guide = new Guide(playground, async (project) => this.begin(project as Project));
	}

	static async lesson(number: number): Promise<GuidePage> {
		const page = new GuidePage();
		await page.guide.start(number - 1);
		return page;
	}

	private begin(project: Project): void {
		for (const { path, text } of project.files) this.texts.set(path, text);
		this.bench.project.value = project;
		this.bench.tabs.value = project.files.map(({ path }) => ({ uri: path, path }));
		this.bench.active.value = project.start.path;
		this.note.value = undefined;
	}

	show(path: string): void {
		this.bench.active.value = path;
	}

	/** Changes the active file. Any suggestion disappears, and the agent has no other. */
	edit(old: string, text: string, cause = "typing", reason = "nothing-found"): void {
		const uri = this.bench.active.value;
		this.texts.set(uri, (this.texts.get(uri) ?? "").replace(old, text));
		this.bench.lastChange.value = { uri, cause, isSuggestion: cause === "suggestion" };
		this.none(reason);
	}

	suggest(): void {
		this.note.value = undefined;
		this.shown.value = {};
	}

	none(reason: string): void {
		this.shown.value = undefined;
		this.note.value = { kind: "no-suggestion", text: reason };
	}

	get step(): number {
		return this.guide.done.value + 1;
	}
}

describe("the guide", () => {
	test("says how to get another suggestion after the user dismissed one", async () => {
		const page = await GuidePage.lesson(1);
		page.edit("let cnt", "let count");
		page.suggest();
		expect([page.step, page.guide.help.value]).toEqual([2, undefined]);
		page.none("rejected");
		expect([page.step, page.guide.help.value]).toEqual([
			2,
			"You dismissed the suggestion. Press [[Alt \\]] to request the next one.",
		]);
		page.suggest();
		expect(page.guide.help.value).toBeUndefined();
	});

	test.each([
		["nothing-found", "There is no suggestion now. Press [[Alt \\]] to request one, or restart the lesson."],
		["snoozed", "Suggestions are snoozed. Press [[Alt \\]] to request one, or end the snooze in the settings."],
		["disabled", "Suggestions are turned off. Turn them on in the settings."],
	])("says what to do if there is no suggestion because of %s", async (reason, help) => {
		const page = await GuidePage.lesson(1);
		page.none(reason);
		expect(page.guide.help.value).toBeUndefined();
		page.edit("let cnt", "let count", "typing", reason);
		expect([page.step, page.guide.help.value]).toEqual([1, help]);
	});

	test("waits while the user deletes the old name", async () => {
		const page = await GuidePage.lesson(1);
		for (const [old, text] of [
			["let cnt", "let cn"],
			["let cn", "let "],
		] as const) {
			page.edit(old, text);
			page.suggest();
			expect([page.step, page.guide.help.value]).toEqual([1, undefined]);
		}
	});

	test("says what to do after an undo", async () => {
		const page = await GuidePage.lesson(1);
		page.edit("let cnt", "let count");
		page.suggest();
		page.edit("cnt += 1", "count += 1", "suggestion");
		page.edit("count += 1", "cnt += 1", "undo", "reverts-user");
		expect(page.guide.help.value).toBe("You undid a change. Make it again, or restart the lesson.");
	});

	test("goes back to the task that the user undid", async () => {
		const page = await GuidePage.lesson(1);
		page.edit("let cnt", "let count");
		page.suggest();
		page.edit("cnt += 1", "count += 1", "suggestion");
		expect(page.step).toBe(3);
		page.edit("count += 1", "cnt += 1", "undo");
		page.edit("let count", "let cnt", "undo");
		expect(page.step).toBe(1);
	});

	test("accepts edits that the user makes by hand", async () => {
		const page = await GuidePage.lesson(1);
		page.edit("let cnt", "let count");
		page.suggest();
		for (const use of ["cnt += 1", "cnt > 10", "cnt);"]) page.edit(use, use.replace("cnt", "count"));
		expect(page.step).toBe(4);
	});

	test("goes back when the user returns to the first file of the lesson across files", async () => {
		const page = await GuidePage.lesson(2);
		page.edit("function priceOf", "function costOf");
		page.suggest();
		page.edit("priceOf(item).to", "costOf(item).to", "suggestion");
		page.show("src/cart.ts");
		expect(page.step).toBe(3);
		page.show("src/item.ts");
		expect(page.step).toBe(2);
	});

	test("is done with the rename across files once no use is left", async () => {
		const page = await GuidePage.lesson(2);
		page.edit("function priceOf", "function costOf");
		page.suggest();
		page.edit("priceOf(item).to", "costOf(item).to", "suggestion");
		for (const path of ["src/cart.ts", "src/receipt.ts"]) {
			page.show(path);
			for (let uses = 5; uses > 0; uses--) page.edit("priceOf", "costOf", "suggestion");
			const [hasRest, summary] =
				path === "src/cart.ts"
					? [true, "That's the idea. Keep pressing [[Tab]] to finish the rename."]
					: [false, "Done. The first Tab goes to another file, and the second accepts the edit there."];
			expect([page.guide.hasRest.value, page.guide.summary.value]).toEqual([hasRest, summary]);
		}
	});

	test("accepts the repeated change with other quotes and on other lines", async () => {
		const page = await GuidePage.lesson(3);
		page.edit("args.host", "args.get('host')");
		page.edit("args.user", "args.get( `user` )");
		expect(page.step).toBe(3);
		page.edit("args.get('host')", "args.host", "undo");
		expect(page.step).toBe(2);
	});

	test("needs a new acceptance after the user has asked for a suggestion", async () => {
		const page = await GuidePage.lesson(4);
		page.edit("const nm", "const name");
		page.suggest();
		page.edit("+ nm +", "+ name +", "suggestion");
		page.suggest();
		page.none("rejected");
		page.suggest();
		expect(page.step).toBe(4);
		page.edit("nm.length", "name.length", "suggestion");
		expect(page.step).toBe(5);
	});
});
