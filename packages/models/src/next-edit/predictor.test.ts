import { History } from "@segue/predict";
import { EditModelFixture } from "@segue/testing/models/edit-model-fixture";
import { inProcessOutliner } from "@segue/testing/players/outlines";
import { settled } from "@segue/testing/rpc/peers";
import { Text } from "@segue/text";
import { describe, expect, test, vi } from "vitest";
import { ModelFailure } from "../failure.js";
import { AnswerCache } from "./answer-cache.js";

describe("what is kept", () => {
	test("a model's answer is shown again for the same text, without another question", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		expect(await desk.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
		expect(desk.askNow()).toEqual(["const area = ‹→w * h›\n"]);
		expect(desk.model.asked).toHaveLength(1);
	});

	test("what is left of an answer is shown at once when its beginning was typed", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		await desk.askAndHave("const area = ‹→w * h›\n");
		desk.type("w ");
		expect(desk.askNow()).toEqual(["const area = w ‹→* h›\n"]);
		expect(desk.model.asked).toHaveLength(1);
	});

	test("an answer is not shown where something else was typed, and is again when that was undone", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		await desk.askAndHave("const area = ‹→w * h›\n");
		desk.does("const area = ‹→x▮›\n");
		expect(desk.ask()).toBeInstanceOf(Promise);
		desk.does("const area = ‹x→▮›\n");
		expect(desk.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("an answer is not shown when the user also changed something that it does not speak of", async () => {
		const desk = new EditModelFixture("const area = ▮\none()\n");
		await desk.askAndHave("const area = ‹→w * h›\none()\n");
		desk.does("const area = ‹→w▮›\none(‹→1›)\n");
		expect(desk.ask()).toBeInstanceOf(Promise);
	});

	test("the rest of an answer is shown in its place when one of its edits was taken", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nsix()\nnil()\nten()\n");
		await desk.askAndHave("one(‹→1›)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→10›)\n");
		desk.accept(desk.first());
		const [next, last] = ["one(1)\ntwo()\nsix(‹→6›)\nnil()\nten()\n", "one(1)\ntwo()\nsix()\nnil()\nten(‹→10›)\n"];
		expect(desk.askNow()).toEqual([next, last]);
		desk.does("one(1)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→1▮›)\n");
		expect(desk.askNow()).toEqual(["one(1)\ntwo()\nsix(6)\nnil()\nten(1‹→0›)\n"]);
		expect(desk.model.asked).toHaveLength(1);
	});

	test("lines that come are shown on when the user breaks the line above them", async () => {
		const desk = new EditModelFixture("one()▮\nend()\n");
		await desk.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		desk.type("\n");
		desk.type("two");
		expect(desk.askNow()).toEqual(["one()\ntwo‹→()\nsix()›\nend()\n"]);
	});

	test("that there is nothing to write is the answer at once for the same text, and no other", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const prediction = desk.ask();
		desk.model.asked[0]?.writesNothing("no-edit");
		expect(desk.draw(await prediction)).toBe("no-edit");
		expect(desk.askNow()).toBe("no-edit");
		desk.type("w");
		expect(desk.ask()).toBeInstanceOf(Promise);
	});

	test("an answer that cannot be shown is not asked for again, and has its reason each time", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		expect(await desk.askAndHave("const area = ‹→<|mark|>›\n")).toBe("special-token");
		expect(desk.askNow()).toBe("special-token");
	});

	test("a failure is told and not kept", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const prediction = desk.ask();
		desk.model.asked[0]?.fails(
			new ModelFailure("unreachable", "Nobody is there. Start the server.", "Nobody is there."),
		);
		expect(desk.draw(await prediction)).toBe("model-failed: Nobody is there. Start the server.");
		expect(await prediction).toMatchObject({ model: { failure: "unreachable", words: "Nobody is there." } });
		const again = desk.ask();
		desk.model.asked[1]?.fails(new ModelFailure("resting", "It is left alone for 10 s."));
		expect(desk.draw(await again)).toBe("model-resting: It is left alone for 10 s.");
		expect(await desk.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("the oldest of very many answers is forgotten", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		await desk.askAndHave("const area = ‹→w * h›\n");
		for (let i = 0; i < 50; i++) {
			desk.type("x");
			const prediction = desk.ask();
			desk.model.open[0]?.writesNothing("no-edit");
			await prediction;
		}
		desk.does(`const area = ‹${"x".repeat(50)}→▮›\n`);
		expect(desk.ask()).toBeInstanceOf(Promise);
	});
});

describe("the race", () => {
	// The user renamed two of three, so the rules know what comes next.
	const renaming = () => {
		const desk = new EditModelFixture("const cnt▮ = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		desk.does("const ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		desk.does("const count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\none()\nend()\n");
		return desk;
	};
	const renamed = "const count = 0\nlog(count)\nlog(‹cnt→count›)\none()\nend()\n";

	test("what the rules are sure of is answered at once, and what the model says meanwhile is kept", async () => {
		const desk = renaming();
		expect(desk.askNow()).toEqual([renamed]);
		expect(desk.model.asked).toHaveLength(1);
		expect(desk.askNow()).toEqual([renamed]);
		expect(desk.model.asked).toHaveLength(1);
		desk.model.asked[0]?.writes("const count = 0\nlog(count)\nlog(count)\none()\nend(count)\n");
		await settled();
		desk.reject(desk.first());
		expect(desk.askNow()).toEqual(["const count = 0\nlog(count)\nlog(cnt)\none()\nend(‹→count›)\n"]);
		expect(desk.model.asked).toHaveLength(1);
	});

	test("the first hunk that is settled is the answer, and the rest is kept when it comes", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nsix()\n");
		const prediction = desk.ask();
		desk.model.asked[0]?.settles("one(1)\ntwo()\nsix(6)\n", 1);
		expect(desk.draw(await prediction)).toEqual(["one(‹→1›)\ntwo()\nsix()\n"]);
		desk.model.asked[0]?.writes("one(1)\ntwo()\nsix(6)\n");
		await settled();
		desk.accept(desk.first());
		expect(desk.askNow()).toEqual(["one(1)\ntwo()\nsix(‹→6›)\n"]);
		expect(desk.model.asked).toHaveLength(1);
	});

	test("a hunk that cannot be shown is passed over for one that can", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nsix()\n");
		const prediction = desk.ask();
		desk.model.asked[0]?.settles("one(<|mark|>)\ntwo()\nsix(6)\n", 1);
		await settled();
		desk.model.asked[0]?.writes("one(<|mark|>)\ntwo()\nsix(6)\n");
		expect(desk.draw(await prediction)).toEqual(["one()\ntwo()\nsix(‹→6›)\n"]);
	});

	test("what was asked before answers what is asked now, if the user typed on as it says", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		void desk.ask();
		desk.type("w");
		const prediction = desk.ask();
		expect(desk.model.open).toHaveLength(2);
		desk.model.asked[0]?.writes("const area = w * h\n");
		expect(desk.draw(await prediction)).toEqual(["const area = w‹→ * h›\n"]);
	});

	test("what was asked before does not answer what is asked now, if the user typed something else", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		void desk.ask();
		desk.type("x");
		const prediction = desk.ask();
		desk.model.asked[0]?.writes("const area = w * h\n");
		await settled();
		desk.model.asked[1]?.writes("const area = x * y\n");
		expect(desk.draw(await prediction)).toEqual(["const area = x‹→ * y›\n"]);
	});

	test("a question that is given up for newer ones comes to an end, and says so", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const first = desk.ask();
		for (const letter of ["x", "y"]) {
			desk.type(letter);
			void desk.ask();
		}
		expect(desk.draw(await first)).toBe("superseded");
		expect(desk.model.open).toHaveLength(2);
	});

	test("a request that is cancelled rejects, and what the model says for it is kept", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const controller = new AbortController();
		const prediction = desk.ask("automatic", controller.signal);
		controller.abort(new Error("cancelled"));
		await expect(prediction).rejects.toThrow("cancelled");
		desk.model.asked[0]?.writes("const area = w * h\n");
		await settled();
		expect(desk.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("the same question is not asked twice while its answer is on its way", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		void desk.ask();
		const again = desk.ask();
		expect(desk.model.asked).toHaveLength(1);
		desk.model.asked[0]?.writes("const area = w * h\n");
		expect(desk.draw(await again)).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("closing gives up whatever is asked", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const prediction = desk.ask();
		desk.predictor.close();
		expect(desk.draw(await prediction)).toBe("superseded");
		expect(desk.model.open).toEqual([]);
	});

	test("a fault in the model itself reaches who waits", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const prediction = desk.ask();
		desk.model.asked[0]?.fails(new TypeError("a fault"));
		await expect(prediction).rejects.toThrow("a fault");
	});

	test("a fault that nobody waits for reaches who asks next, once", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		const controller = new AbortController();
		const prediction = desk.ask("automatic", controller.signal);
		controller.abort(new Error("cancelled"));
		await expect(prediction).rejects.toThrow("cancelled");
		desk.model.asked[0]?.fails(new TypeError("a fault"));
		await settled();
		expect(() => desk.ask()).toThrow("a fault");
		expect(await desk.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("a request that is at fault when the answer comes fails alone: others have the answer, and it is kept", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		let isFaulty = false;
		const watch = () => {
			if (isFaulty) throw new TypeError("a fault");
		};
		const faulty = desk.ask("automatic", undefined, watch);
		const sound = desk.ask();
		isFaulty = true;
		desk.model.asked[0]?.writes("const area = w * h\n");
		await expect(faulty).rejects.toThrow("a fault");
		expect(desk.draw(await sound)).toEqual(["const area = ‹→w * h›\n"]);
		expect(desk.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test.each([
		["ignored-file", { ignored: new Set(["file:///project/a.ts"]) }],
		["secret-file", { document: { uri: "file:///project/.env", languageId: "", version: 1, text: Text.of("A=1\n") } }],
	] as const)("no model is asked about what it must not see: %s", (reason, settings) => {
		const desk = new EditModelFixture("const area = ▮\n");
		desk.settings = settings;
		expect(desk.askNow()).toBe(reason);
		expect(desk.model.asked).toEqual([]);
	});

	describe("before anything was changed", () => {
		const opened = () => {
			const desk = new EditModelFixture("const area = ▮\n");
			desk.history = History.empty;
			return desk;
		};

		test("no model is asked by itself, which is the reason, until the user changes something", async () => {
			const desk = opened();
			expect(desk.askNow()).toBe("no-history");
			desk.cursor = 0;
			expect(desk.askNow()).toBe("no-history");
			expect(desk.model.asked).toEqual([]);
			desk.cursor = "const area = ".length;
			desk.type("w");
			expect(await desk.askAndHave("const area = w‹→ * h›\n")).toEqual(["const area = w‹→ * h›\n"]);
		});

		test.each(["manual", "diagnostic"] as const)("a model is asked where the request is %s", async (trigger) => {
			const desk = opened();
			const prediction = desk.ask(trigger);
			desk.model.asked[0]?.writes("const area = w * h\n");
			expect(desk.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
		});

		test("what somebody has asked for is shown to who comes back to it", async () => {
			const desk = opened();
			void desk.ask("manual");
			const prediction = desk.ask();
			desk.model.asked[0]?.writes("const area = w * h\n");
			expect(desk.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
			expect(desk.askNow()).toEqual(["const area = ‹→w * h›\n"]);
			expect(desk.model.asked).toHaveLength(1);
		});
	});

	test("who asks gets what the rules are sure of at once, and anything else only after the model was heard", async () => {
		expect(renaming().askNow("manual")).toEqual([renamed]);
		const unsure = new EditModelFixture("one(a▮)\ntwo(a)\nend()\n");
		unsure.does("one(‹a→b▮›)\ntwo(a)\nend()\n");
		const prediction = unsure.ask("manual");
		expect(prediction).toBeInstanceOf(Promise);
		unsure.model.asked[0]?.writesNothing("no-edit");
		expect(unsure.draw(await prediction)).toEqual(["one(b)\ntwo(‹a→b›)\nend()\n"]);
	});
});

describe("verdicts", () => {
	test("a suggestion that was rejected stays away when its beginning is typed", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		await desk.askAndHave("const area = ‹→w * h›\n");
		desk.reject(desk.first());
		expect(desk.askNow()).toBe("rejected-before");
		desk.type("w");
		expect(await desk.askAndHave("const area = w‹→ * h›\n")).toBe("rejected-before");
	});

	test("the part that is left of a rejected hunk stays away when its first lines were typed", async () => {
		const desk = new EditModelFixture("one()▮\nend()\n");
		await desk.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		desk.reject(desk.first());
		desk.does("one()‹→\ntwo()\ns▮›\nend()\n");
		expect(desk.ask()).toBeInstanceOf(Promise);
	});

	test("a model that wants to know hears what became of its answer", async () => {
		const desk = new EditModelFixture("const area = ▮\n");
		await desk.askAndHave("const area = ‹→w * h›\n");
		desk.accept(desk.first());
		expect(desk.model.told).toEqual(["answer_1 accepted"]);
	});
});

describe("speculation", () => {
	test("what comes after a suggestion is asked for before it is taken, as if it were", async () => {
		const desk = new EditModelFixture("one(▮)\nend()\n", true);
		await desk.askAndHave("one(‹→1›)\nend()\n");
		const [, after] = desk.model.asked;
		expect(after?.brief.text.toString()).toBe("one(1)\nend()\n");
		expect(after?.brief.cursor).toBe(5);
		expect(after?.brief.edits.at(-1)?.event.isAccepted).toBe(true);
		after?.writes("one(1)\nend(1)\n");
		await settled();
		desk.accept(desk.first());
		expect(desk.askNow()).toEqual(["one(1)\nend(‹→1›)\n"]);
	});

	test("it is given up first when the model is needed", async () => {
		const desk = new EditModelFixture("one(▮)\nend()\n", true);
		desk.model.pendingMax = 1;
		await desk.askAndHave("one(‹→1›)\nend()\n");
		const [, speculative] = desk.model.asked;
		expect(speculative?.isOver).toBe(false);
		desk.type("x");
		void desk.ask();
		expect(speculative?.isOver).toBe(true);
		expect(desk.model.open).toHaveLength(1);
	});

	test.each([
		[
			"a suggestion of the model's",
			"one(▮)\nend()\n",
			(desk: EditModelFixture) => desk.askAndHave("one(‹→1›)\nend()\n"),
		],
		[
			"a suggestion of the rules",
			"let cnt▮ = 0\nlog(cnt)\nlog(cnt)\n",
			async (desk: EditModelFixture) => {
				desk.does("let ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\n");
				desk.does("let count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\n");
				void desk.ask();
				desk.model.asked[0]?.writesNothing("no-edit");
				await settled();
			},
		],
	])("it is given up when %s was rejected", async (_, drawn, show) => {
		const desk = new EditModelFixture(drawn, true);
		desk.model.pendingMax = 1;
		await show(desk);
		expect(desk.model.asked[1]?.isOver).toBe(false);
		desk.reject(desk.first());
		expect(desk.model.asked[1]?.isOver).toBe(true);
		expect(desk.model.asked).toHaveLength(2);
	});

	test("it does not begin after a suggestion that was rejected meanwhile", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		desk.model.pendingMax = 1;
		const prediction = desk.ask();
		desk.model.asked[0]?.settles("one(1)\ntwo()\nend()\n", 1);
		await prediction;
		desk.reject(desk.first());
		desk.model.asked[0]?.writes("one(1)\ntwo()\nend()\n");
		await settled();
		expect(desk.model.asked).toHaveLength(1);
	});

	test("a fault in it does not keep anybody from the suggestion, and reaches who asks next", async () => {
		const desk = new EditModelFixture("one(▮)\nend()\n", true);
		const prediction = desk.ask();
		const { find } = AnswerCache.prototype;
		const fault = vi.spyOn(AnswerCache.prototype, "find").mockImplementation(function (this: AnswerCache, uri, text) {
			if (text.toString().startsWith("one(1)")) throw new TypeError("a fault");
			return find.call(this, uri, text);
		});
		desk.model.asked[0]?.writes("one(1)\nend()\n");
		expect(desk.draw(await prediction)).toEqual(["one(‹→1›)\nend()\n"]);
		await settled();
		fault.mockRestore();
		expect(() => desk.ask()).toThrow("a fault");
	});

	test("it waits until the model has nothing else to do", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		desk.model.pendingMax = 1;
		const prediction = desk.ask();
		desk.model.asked[0]?.settles("one(1)\ntwo()\nend()\n", 1);
		await prediction;
		expect(desk.model.asked).toHaveLength(1);
		desk.model.asked[0]?.writes("one(1)\ntwo()\nend()\n");
		await settled();
		expect(desk.model.asked).toHaveLength(2);
	});

	test("who comes to the very text waits for the answer that is on its way", async () => {
		const desk = new EditModelFixture("one(▮)\nend()\n", true);
		await desk.askAndHave("one(‹→1›)\nend()\n");
		desk.accept(desk.first());
		const prediction = desk.ask();
		expect(desk.model.asked).toHaveLength(2);
		desk.model.asked[1]?.writes("one(1)\nend(1)\n");
		expect(desk.draw(await prediction)).toEqual(["one(1)\nend(‹→1›)\n"]);
	});

	test("nothing is asked for where the rest of an answer is what comes next", async () => {
		const desk = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		await desk.askAndHave("one(‹→1›)\ntwo()\nend(‹→1›)\n");
		expect(desk.model.asked).toHaveLength(1);
	});
});

describe("with a parser", async () => {
	const { parse } = (await inProcessOutliner()).outlines();

	test("what a model wrote is not shown if it does not parse, also when the user asks", async () => {
		const drawn = 'switch (status) {\n  case "open"‹→, priority: 0 ›:▮\n    show()\n}\n';
		const desk = new EditModelFixture(drawn.replace(/‹.*›/, ""));
		desk.settings = { parse };
		expect(await desk.askAndHave(drawn.replace("▮", ""))).toBe("breaks-syntax");
		desk.settings = { parse, trigger: "manual" };
		expect(desk.askNow()).toBe("breaks-syntax");
		desk.settings = {};
		expect(desk.askNow()).toEqual([drawn.replace("▮", "")]);
	});
});
