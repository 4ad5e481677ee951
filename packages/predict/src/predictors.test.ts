import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { drawStory, playStory, readStory, readStoryFile, type TitledStory } from "@segue/story";
import { inProcessOutliner } from "@segue/testing/players/outlines";
import { EnginePlayer } from "@segue/testing/players/scene-player";
import { isAll } from "@segue/testing/setup/tier";
import { describe, expect, test, vi } from "vitest";
import { PREDICTORS, type Predictor } from "./suggestion.js";

// Each predictor needs stories that fail without it, and stories in which it must suggest nothing.

const { switchable, without } = vi.hoisted(() => {
	let off: string | undefined;
	return {
		/** Wraps a module so that its proposer finds nothing while its predictor is switched off. */
		switchable: (predictor: string, module: Record<string, unknown>): Record<string, unknown> => {
			const isProposer = (name: string) => name.startsWith("propose") || name === "combine";
			const wrapped = Object.entries(module).map(([name, value]) => {
				if (!isProposer(name)) return [name, value];
				return [
					name,
					(...given: unknown[]) => (off === predictor ? [] : (value as (...all: unknown[]) => unknown)(...given)),
				];
			});
			return Object.fromEntries(wrapped);
		},
		/** Runs a function while a predictor is switched off. */
		without: async <T>(predictor: string, act: () => Promise<T>): Promise<T> => {
			off = predictor;
			try {
				return await act();
			} finally {
				off = undefined;
			}
		},
	};
});

vi.mock(import("./rules/diagnostic.js"), async (load) => switchable("diagnostic", await load()));
vi.mock(import("./rules/rename.js"), async (load) => switchable("rename", await load()));
vi.mock(import("./rules/repeat.js"), async (load) => switchable("repeat", await load()));
vi.mock(import("./rules/block.js"), async (load) => switchable("repeat", await load()));
vi.mock(import("./ranking/combination.js"), async (load) => switchable("repeat", await load()));
vi.mock(import("./rules/template.js"), async (load) => switchable("template", await load()));
vi.mock(import("./rules/sibling.js"), async (load) => switchable("sibling", await load()));
vi.mock(import("./rules/paste.js"), async (load) => switchable("paste", await load()));
vi.mock(import("./rules/calls.js"), async (load) => switchable("calls", await load()));
vi.mock(import("./rules/adapted-block.js"), async (load) => switchable("template", await load()));
vi.mock(import("./rules/jump.js"), async (load) => switchable("jump", await load()));

/** A story and the name of its file. A predictor's own stories are in a file with the predictor's name. */
type Story = TitledStory & { readonly about: string };

const folder = path.join(import.meta.dirname, "..", "..", "..", "stories");
const stories: readonly Story[] = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => {
		const about = name.replace(".story.md", "");
		return readStoryFile(readFileSync(path.join(folder, name), "utf8")).map((story) => ({ ...story, about }));
	});

const outliner = await inProcessOutliner();

/** A story as it was actually played, and the predictors that made the suggestions shown in it. */
interface Course {
	readonly drawn: string;
	readonly shown: ReadonlySet<Predictor>;
}

async function play({ source }: Story): Promise<Course> {
	const player = new EnginePlayer({}, outliner.outlines());
	const actual = await playStory(readStory(source), player);
	return { drawn: drawStory(actual), shown: new Set(player.shown.map(({ predictor }) => predictor)) };
}

/** Each story as played with all predictors. */
const played: (Story & Course)[] = [];
for (const story of stories) played.push({ ...story, ...(await play(story)) });

test.for(played.map((story) => [story.title, story] as const))("%s", ([, { drawn, source }]) => {
	expect(drawn).toBe(source);
});

describe.each(PREDICTORS)("%s", (predictor) => {
	test.runIf(isAll)("changes at least three stories when it is switched off", async () => {
		const missed: string[] = [];
		await without(predictor, async () => {
			for (const story of stories) if ((await play(story)).drawn !== story.source) missed.push(story.title);
		});
		expect(missed.length).toBeGreaterThanOrEqual(3);
	});

	test("suggests something in at least five stories", () => {
		expect(played.filter(({ shown }) => shown.has(predictor)).length).toBeGreaterThanOrEqual(5);
	});

	test("suggests nothing in at least five of its own stories", () => {
		const silent = played.filter(({ about, shown }) => about === predictor && shown.size === 0);
		expect(silent.length).toBeGreaterThanOrEqual(5);
	});
});
