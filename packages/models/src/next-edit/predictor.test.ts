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
		const fixture = new EditModelFixture("const area = ▮\n");
		expect(await fixture.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("what is left of an answer is shown at once when its beginning was typed", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.type("w ");
		expect(fixture.askNow()).toEqual(["const area = w ‹→* h›\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("an answer is not shown where something else was typed, and is again when that was undone", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.does("const area = ‹→x▮›\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
		fixture.does("const area = ‹x→▮›\n");
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("an answer is not shown when the user also changed something that it does not speak of", async () => {
		const fixture = new EditModelFixture("const area = ▮\none()\n");
		await fixture.askAndHave("const area = ‹→w * h›\none()\n");
		fixture.does("const area = ‹→w▮›\none(‹→1›)\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("the rest of an answer is shown in its place when one of its edits was taken", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nsix()\nnil()\nten()\n");
		await fixture.askAndHave("one(‹→1›)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→10›)\n");
		fixture.accept(fixture.first());
		const [next, last] = ["one(1)\ntwo()\nsix(‹→6›)\nnil()\nten()\n", "one(1)\ntwo()\nsix()\nnil()\nten(‹→10›)\n"];
		expect(fixture.askNow()).toEqual([next, last]);
		fixture.does("one(1)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→1▮›)\n");
		expect(fixture.askNow()).toEqual(["one(1)\ntwo()\nsix(6)\nnil()\nten(1‹→0›)\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("lines that come are shown on when the user breaks the line above them", async () => {
		const fixture = new EditModelFixture("one()▮\nend()\n");
		await fixture.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		fixture.type("\n");
		fixture.type("two");
		expect(fixture.askNow()).toEqual(["one()\ntwo‹→()\nsix()›\nend()\n"]);
	});

	test("that there is nothing to write is the answer at once for the same text, and no other", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.writesNothing("no-edit");
		expect(fixture.draw(await prediction)).toBe("no-edit");
		expect(fixture.askNow()).toBe("no-edit");
		fixture.type("w");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("an answer that cannot be shown is not asked for again, and has its reason each time", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		expect(await fixture.askAndHave("const area = ‹→<|mark|>›\n")).toBe("special-token");
		expect(fixture.askNow()).toBe("special-token");
	});

	test("a failure is told and not kept", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.fails(
			new ModelFailure("unreachable", "Nobody is there. Start the server.", "Nobody is there."),
		);
		expect(fixture.draw(await prediction)).toBe("model-failed: Nobody is there. Start the server.");
		expect(await prediction).toMatchObject({ model: { failure: "unreachable", words: "Nobody is there." } });
		const again = fixture.ask();
		fixture.model.requests[1]?.fails(new ModelFailure("resting", "It is left alone for 10 s."));
		expect(fixture.draw(await again)).toBe("model-resting: It is left alone for 10 s.");
		expect(await fixture.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("the oldest of very many answers is forgotten", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		for (let i = 0; i < 50; i++) {
			fixture.type("x");
			const prediction = fixture.ask();
			fixture.model.open[0]?.writesNothing("no-edit");
			await prediction;
		}
		fixture.does(`const area = ‹${"x".repeat(50)}→▮›\n`);
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});
});

describe("the race", () => {
	// The user renamed two of three, so the rules know what comes next.
	const renaming = () => {
		const fixture = new EditModelFixture("const cnt▮ = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		fixture.does("const ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		fixture.does("const count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\none()\nend()\n");
		return fixture;
	};
	const renamed = "const count = 0\nlog(count)\nlog(‹cnt→count›)\none()\nend()\n";

	test("what the rules are sure of is answered at once, and what the model says meanwhile is kept", async () => {
		const fixture = renaming();
		expect(fixture.askNow()).toEqual([renamed]);
		expect(fixture.model.requests).toHaveLength(1);
		expect(fixture.askNow()).toEqual([renamed]);
		expect(fixture.model.requests).toHaveLength(1);
		fixture.model.requests[0]?.writes("const count = 0\nlog(count)\nlog(count)\none()\nend(count)\n");
		await settled();
		fixture.reject(fixture.first());
		expect(fixture.askNow()).toEqual(["const count = 0\nlog(count)\nlog(cnt)\none()\nend(‹→count›)\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("the first hunk that is settled is the answer, and the rest is kept when it comes", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nsix()\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.settles("one(1)\ntwo()\nsix(6)\n", 1);
		expect(fixture.draw(await prediction)).toEqual(["one(‹→1›)\ntwo()\nsix()\n"]);
		fixture.model.requests[0]?.writes("one(1)\ntwo()\nsix(6)\n");
		await settled();
		fixture.accept(fixture.first());
		expect(fixture.askNow()).toEqual(["one(1)\ntwo()\nsix(‹→6›)\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("a hunk that cannot be shown is passed over for one that can", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nsix()\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.settles("one(<|mark|>)\ntwo()\nsix(6)\n", 1);
		await settled();
		fixture.model.requests[0]?.writes("one(<|mark|>)\ntwo()\nsix(6)\n");
		expect(fixture.draw(await prediction)).toEqual(["one()\ntwo()\nsix(‹→6›)\n"]);
	});

	test("what was asked before answers what is asked now, if the user typed on as it says", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		fixture.type("w");
		const prediction = fixture.ask();
		expect(fixture.model.open).toHaveLength(2);
		fixture.model.requests[0]?.writes("const area = w * h\n");
		expect(fixture.draw(await prediction)).toEqual(["const area = w‹→ * h›\n"]);
	});

	test("what was asked before does not answer what is asked now, if the user typed something else", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		fixture.type("x");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.writes("const area = w * h\n");
		await settled();
		fixture.model.requests[1]?.writes("const area = x * y\n");
		expect(fixture.draw(await prediction)).toEqual(["const area = x‹→ * y›\n"]);
	});

	test("a question that is given up for newer ones comes to an end, and says so", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const first = fixture.ask();
		for (const letter of ["x", "y"]) {
			fixture.type(letter);
			void fixture.ask();
		}
		expect(fixture.draw(await first)).toBe("superseded");
		expect(fixture.model.open).toHaveLength(2);
	});

	test("a request that is cancelled rejects, and what the model says for it is kept", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const controller = new AbortController();
		const prediction = fixture.ask("automatic", controller.signal);
		controller.abort(new Error("cancelled"));
		await expect(prediction).rejects.toThrow("cancelled");
		fixture.model.requests[0]?.writes("const area = w * h\n");
		await settled();
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("the same question is not asked twice while its answer is on its way", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		const again = fixture.ask();
		expect(fixture.model.requests).toHaveLength(1);
		fixture.model.requests[0]?.writes("const area = w * h\n");
		expect(fixture.draw(await again)).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("closing gives up whatever is asked", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.predictor.close();
		expect(fixture.draw(await prediction)).toBe("superseded");
		expect(fixture.model.open).toEqual([]);
	});

	test("a fault in the model itself reaches who waits", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.fails(new TypeError("a fault"));
		await expect(prediction).rejects.toThrow("a fault");
	});

	test("a fault that nobody waits for reaches who asks next, once", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const controller = new AbortController();
		const prediction = fixture.ask("automatic", controller.signal);
		controller.abort(new Error("cancelled"));
		await expect(prediction).rejects.toThrow("cancelled");
		fixture.model.requests[0]?.fails(new TypeError("a fault"));
		await settled();
		expect(() => fixture.ask()).toThrow("a fault");
		expect(await fixture.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("a request that is at fault when the answer comes fails alone: others have the answer, and it is kept", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		let isFaulty = false;
		const watch = () => {
			if (isFaulty) throw new TypeError("a fault");
		};
		const faulty = fixture.ask("automatic", undefined, watch);
		const sound = fixture.ask();
		isFaulty = true;
		fixture.model.requests[0]?.writes("const area = w * h\n");
		await expect(faulty).rejects.toThrow("a fault");
		expect(fixture.draw(await sound)).toEqual(["const area = ‹→w * h›\n"]);
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test.each([
		["ignored-file", { ignored: new Set(["file:///project/a.ts"]) }],
		["secret-file", { document: { uri: "file:///project/.env", languageId: "", version: 1, text: Text.of("A=1\n") } }],
	] as const)("no model is asked about what it must not see: %s", (reason, settings) => {
		const fixture = new EditModelFixture("const area = ▮\n");
		fixture.settings = settings;
		expect(fixture.askNow()).toBe(reason);
		expect(fixture.model.requests).toEqual([]);
	});

	describe("before anything was changed", () => {
		const opened = () => {
			const fixture = new EditModelFixture("const area = ▮\n");
			fixture.history = History.empty;
			return fixture;
		};

		test("no model is asked by itself, which is the reason, until the user changes something", async () => {
			const fixture = opened();
			expect(fixture.askNow()).toBe("no-history");
			fixture.cursor = 0;
			expect(fixture.askNow()).toBe("no-history");
			expect(fixture.model.requests).toEqual([]);
			fixture.cursor = "const area = ".length;
			fixture.type("w");
			expect(await fixture.askAndHave("const area = w‹→ * h›\n")).toEqual(["const area = w‹→ * h›\n"]);
		});

		test.each(["manual", "diagnostic"] as const)("a model is asked where the request is %s", async (trigger) => {
			const fixture = opened();
			const prediction = fixture.ask(trigger);
			fixture.model.requests[0]?.writes("const area = w * h\n");
			expect(fixture.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
		});

		test("what somebody has asked for is shown to who comes back to it", async () => {
			const fixture = opened();
			void fixture.ask("manual");
			const prediction = fixture.ask();
			fixture.model.requests[0]?.writes("const area = w * h\n");
			expect(fixture.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
			expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
			expect(fixture.model.requests).toHaveLength(1);
		});
	});

	test("who asks gets what the rules are sure of at once, and anything else only after the model was heard", async () => {
		expect(renaming().askNow("manual")).toEqual([renamed]);
		const unsure = new EditModelFixture("one(a▮)\ntwo(a)\nend()\n");
		unsure.does("one(‹a→b▮›)\ntwo(a)\nend()\n");
		const prediction = unsure.ask("manual");
		expect(prediction).toBeInstanceOf(Promise);
		unsure.model.requests[0]?.writesNothing("no-edit");
		expect(unsure.draw(await prediction)).toEqual(["one(b)\ntwo(‹a→b›)\nend()\n"]);
	});
});

describe("verdicts", () => {
	test("a suggestion that was rejected stays away when its beginning is typed", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.reject(fixture.first());
		expect(fixture.askNow()).toBe("rejected-before");
		fixture.type("w");
		expect(await fixture.askAndHave("const area = w‹→ * h›\n")).toBe("rejected-before");
	});

	test("the part that is left of a rejected hunk stays away when its first lines were typed", async () => {
		const fixture = new EditModelFixture("one()▮\nend()\n");
		await fixture.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		fixture.reject(fixture.first());
		fixture.does("one()‹→\ntwo()\ns▮›\nend()\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("a model that wants to know hears what became of its answer", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.accept(fixture.first());
		expect(fixture.model.feedback).toEqual(["answer_1 accepted"]);
	});
});

describe("speculation", () => {
	test("what comes after a suggestion is asked for before it is taken, as if it were", async () => {
		const fixture = new EditModelFixture("one(▮)\nend()\n", true);
		await fixture.askAndHave("one(‹→1›)\nend()\n");
		const [, after] = fixture.model.requests;
		expect(after?.input.text.toString()).toBe("one(1)\nend()\n");
		expect(after?.input.cursor).toBe(5);
		expect(after?.input.edits.at(-1)?.event.isAccepted).toBe(true);
		after?.writes("one(1)\nend(1)\n");
		await settled();
		fixture.accept(fixture.first());
		expect(fixture.askNow()).toEqual(["one(1)\nend(‹→1›)\n"]);
	});

	test("it is given up first when the model is needed", async () => {
		const fixture = new EditModelFixture("one(▮)\nend()\n", true);
		fixture.model.pendingMax = 1;
		await fixture.askAndHave("one(‹→1›)\nend()\n");
		const [, speculative] = fixture.model.requests;
		expect(speculative?.isOver).toBe(false);
		fixture.type("x");
		void fixture.ask();
		expect(speculative?.isOver).toBe(true);
		expect(fixture.model.open).toHaveLength(1);
	});

	test.each([
		[
			"a suggestion of the model's",
			"one(▮)\nend()\n",
			(fixture: EditModelFixture) => fixture.askAndHave("one(‹→1›)\nend()\n"),
		],
		[
			"a suggestion of the rules",
			"let cnt▮ = 0\nlog(cnt)\nlog(cnt)\n",
			async (fixture: EditModelFixture) => {
				fixture.does("let ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\n");
				fixture.does("let count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\n");
				void fixture.ask();
				fixture.model.requests[0]?.writesNothing("no-edit");
				await settled();
			},
		],
	])("it is given up when %s was rejected", async (_, drawn, show) => {
		const fixture = new EditModelFixture(drawn, true);
		fixture.model.pendingMax = 1;
		await show(fixture);
		expect(fixture.model.requests[1]?.isOver).toBe(false);
		fixture.reject(fixture.first());
		expect(fixture.model.requests[1]?.isOver).toBe(true);
		expect(fixture.model.requests).toHaveLength(2);
	});

	test("it does not begin after a suggestion that was rejected meanwhile", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		fixture.model.pendingMax = 1;
		const prediction = fixture.ask();
		fixture.model.requests[0]?.settles("one(1)\ntwo()\nend()\n", 1);
		await prediction;
		fixture.reject(fixture.first());
		fixture.model.requests[0]?.writes("one(1)\ntwo()\nend()\n");
		await settled();
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("a fault in it does not keep anybody from the suggestion, and reaches who asks next", async () => {
		const fixture = new EditModelFixture("one(▮)\nend()\n", true);
		const prediction = fixture.ask();
		const { find } = AnswerCache.prototype;
		const fault = vi.spyOn(AnswerCache.prototype, "find").mockImplementation(function (this: AnswerCache, uri, text) {
			if (text.toString().startsWith("one(1)")) throw new TypeError("a fault");
			return find.call(this, uri, text);
		});
		fixture.model.requests[0]?.writes("one(1)\nend()\n");
		expect(fixture.draw(await prediction)).toEqual(["one(‹→1›)\nend()\n"]);
		await settled();
		fault.mockRestore();
		expect(() => fixture.ask()).toThrow("a fault");
	});

	test("it waits until the model has nothing else to do", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		fixture.model.pendingMax = 1;
		const prediction = fixture.ask();
		fixture.model.requests[0]?.settles("one(1)\ntwo()\nend()\n", 1);
		await prediction;
		expect(fixture.model.requests).toHaveLength(1);
		fixture.model.requests[0]?.writes("one(1)\ntwo()\nend()\n");
		await settled();
		expect(fixture.model.requests).toHaveLength(2);
	});

	test("who comes to the very text waits for the answer that is on its way", async () => {
		const fixture = new EditModelFixture("one(▮)\nend()\n", true);
		await fixture.askAndHave("one(‹→1›)\nend()\n");
		fixture.accept(fixture.first());
		const prediction = fixture.ask();
		expect(fixture.model.requests).toHaveLength(2);
		fixture.model.requests[1]?.writes("one(1)\nend(1)\n");
		expect(fixture.draw(await prediction)).toEqual(["one(1)\nend(‹→1›)\n"]);
	});

	test("nothing is asked for where the rest of an answer is what comes next", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		await fixture.askAndHave("one(‹→1›)\ntwo()\nend(‹→1›)\n");
		expect(fixture.model.requests).toHaveLength(1);
	});
});

describe("with a parser", async () => {
	const { parse } = (await inProcessOutliner()).outlines();

	test("what a model wrote is not shown if it does not parse, also when the user asks", async () => {
		const drawn = 'switch (status) {\n  case "open"‹→, priority: 0 ›:▮\n    show()\n}\n';
		const fixture = new EditModelFixture(drawn.replace(/‹.*›/, ""));
		fixture.settings = { parse };
		expect(await fixture.askAndHave(drawn.replace("▮", ""))).toBe("breaks-syntax");
		fixture.settings = { parse, trigger: "manual" };
		expect(fixture.askNow()).toBe("breaks-syntax");
		fixture.settings = {};
		expect(fixture.askNow()).toEqual([drawn.replace("▮", "")]);
	});
});
