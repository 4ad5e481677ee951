import { History } from "@segue/predict";
import { EditModelFixture } from "@segue/testing/models/edit-model-fixture";
import { inProcessOutliner } from "@segue/testing/players/outlines";
import { settled } from "@segue/testing/rpc/peers";
import { Text } from "@segue/text";
import { describe, expect, test, vi } from "vitest";
import { ModelFailure } from "../failure.js";
import { AnswerCache } from "./answer-cache.js";

describe("the cache", () => {
	test("returns a reply for the same text without another request", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		expect(await fixture.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("returns the rest of a reply after its start was typed", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.type("w ");
		expect(fixture.askNow()).toEqual(["const area = w ‹→* h›\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("hides a reply after the user types something else, and returns it after undo", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.does("const area = ‹→x▮›\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
		fixture.does("const area = ‹x→▮›\n");
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("hides a reply after changes that it does not contain", async () => {
		const fixture = new EditModelFixture("const area = ▮\none()\n");
		await fixture.askAndHave("const area = ‹→w * h›\none()\n");
		fixture.does("const area = ‹→w▮›\none(‹→1›)\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("returns the rest of a reply in place after one of its edits was accepted", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nsix()\nnil()\nten()\n");
		await fixture.askAndHave("one(‹→1›)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→10›)\n");
		fixture.accept(fixture.first());
		const [next, last] = ["one(1)\ntwo()\nsix(‹→6›)\nnil()\nten()\n", "one(1)\ntwo()\nsix()\nnil()\nten(‹→10›)\n"];
		expect(fixture.askNow()).toEqual([next, last]);
		fixture.does("one(1)\ntwo()\nsix(‹→6›)\nnil()\nten(‹→1▮›)\n");
		expect(fixture.askNow()).toEqual(["one(1)\ntwo()\nsix(6)\nnil()\nten(1‹→0›)\n"]);
		expect(fixture.model.requests).toHaveLength(1);
	});

	test("returns the rest of the inserted lines after the user types a line break", async () => {
		const fixture = new EditModelFixture("one()▮\nend()\n");
		await fixture.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		fixture.type("\n");
		fixture.type("two");
		expect(fixture.askNow()).toEqual(["one()\ntwo‹→()\nsix()›\nend()\n"]);
	});

	test("returns a no-edit reply only for the same text", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.writesNothing("no-edit");
		expect(fixture.draw(await prediction)).toBe("no-edit");
		expect(fixture.askNow()).toBe("no-edit");
		fixture.type("w");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("returns the reason for a rejected reply without another request", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		expect(await fixture.askAndHave("const area = ‹→<|mark|>›\n")).toBe("special-token");
		expect(fixture.askNow()).toBe("special-token");
	});

	test("does not cache failures", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.fails(
			new ModelFailure("unreachable", "Connection refused. Start the server.", "Connection refused."),
		);
		expect(fixture.draw(await prediction)).toBe("model-failed: Connection refused. Start the server.");
		expect(await prediction).toMatchObject({ model: { failure: "unreachable", words: "Connection refused." } });
		const again = fixture.ask();
		fixture.model.requests[1]?.fails(new ModelFailure("resting", "Paused for 10 seconds."));
		expect(fixture.draw(await again)).toBe("model-resting: Paused for 10 seconds.");
		expect(await fixture.askAndHave("const area = ‹→w * h›\n")).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("evicts the oldest reply", async () => {
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

describe("rules and model", () => {
	// The user renamed two of three occurrences, so the rules can predict the next edit.
	const renaming = () => {
		const fixture = new EditModelFixture("const cnt▮ = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		fixture.does("const ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\none()\nend()\n");
		fixture.does("const count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\none()\nend()\n");
		return fixture;
	};
	const renamed = "const count = 0\nlog(count)\nlog(‹cnt→count›)\none()\nend()\n";

	test("a sure suggestion from the rules is returned immediately, and the model's reply is cached", async () => {
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

	test("the first final hunk is returned, and later ones are cached", async () => {
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

	test("a hunk that the gate rejects is skipped", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nsix()\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.settles("one(<|mark|>)\ntwo()\nsix(6)\n", 1);
		await settled();
		fixture.model.requests[0]?.writes("one(<|mark|>)\ntwo()\nsix(6)\n");
		expect(fixture.draw(await prediction)).toEqual(["one()\ntwo()\nsix(‹→6›)\n"]);
	});

	test("an earlier request answers a later one if the user typed part of its reply", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		fixture.type("w");
		const prediction = fixture.ask();
		expect(fixture.model.open).toHaveLength(2);
		fixture.model.requests[0]?.writes("const area = w * h\n");
		expect(fixture.draw(await prediction)).toEqual(["const area = w‹→ * h›\n"]);
	});

	test("an earlier request does not answer a later one if the user typed something else", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		fixture.type("x");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.writes("const area = w * h\n");
		await settled();
		fixture.model.requests[1]?.writes("const area = x * y\n");
		expect(fixture.draw(await prediction)).toEqual(["const area = x‹→ * y›\n"]);
	});

	test("a request superseded by newer ones resolves with that reason", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const first = fixture.ask();
		for (const letter of ["x", "y"]) {
			fixture.type(letter);
			void fixture.ask();
		}
		expect(fixture.draw(await first)).toBe("superseded");
		expect(fixture.model.open).toHaveLength(2);
	});

	test("a cancelled request rejects, and its reply is cached", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const controller = new AbortController();
		const prediction = fixture.ask("automatic", controller.signal);
		controller.abort(new Error("cancelled"));
		await expect(prediction).rejects.toThrow("cancelled");
		fixture.model.requests[0]?.writes("const area = w * h\n");
		await settled();
		expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("the same request is not sent again while pending", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		void fixture.ask();
		const again = fixture.ask();
		expect(fixture.model.requests).toHaveLength(1);
		fixture.model.requests[0]?.writes("const area = w * h\n");
		expect(fixture.draw(await again)).toEqual(["const area = ‹→w * h›\n"]);
	});

	test("closing aborts pending requests", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.predictor.close();
		expect(fixture.draw(await prediction)).toBe("superseded");
		expect(fixture.model.open).toEqual([]);
	});

	test("an unexpected error in the model rejects the waiting request", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		const prediction = fixture.ask();
		fixture.model.requests[0]?.fails(new TypeError("a fault"));
		await expect(prediction).rejects.toThrow("a fault");
	});

	test("an unexpected error without a waiting request is thrown once by the next request", async () => {
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

	test("an error in one waiting request does not affect others or the cache", async () => {
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
	] as const)("the model is not asked about hidden files: %s", (reason, settings) => {
		const fixture = new EditModelFixture("const area = ▮\n");
		fixture.settings = settings;
		expect(fixture.askNow()).toBe(reason);
		expect(fixture.model.requests).toEqual([]);
	});

	describe("before the first edit", () => {
		const opened = () => {
			const fixture = new EditModelFixture("const area = ▮\n");
			fixture.history = History.empty;
			return fixture;
		};

		test("the model is not asked automatically", async () => {
			const fixture = opened();
			expect(fixture.askNow()).toBe("no-history");
			fixture.cursor = 0;
			expect(fixture.askNow()).toBe("no-history");
			expect(fixture.model.requests).toEqual([]);
			fixture.cursor = "const area = ".length;
			fixture.type("w");
			expect(await fixture.askAndHave("const area = w‹→ * h›\n")).toEqual(["const area = w‹→ * h›\n"]);
		});

		test.each(["manual", "diagnostic"] as const)("a %s request asks the model", async (trigger) => {
			const fixture = opened();
			const prediction = fixture.ask(trigger);
			fixture.model.requests[0]?.writes("const area = w * h\n");
			expect(fixture.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
		});

		test("the reply to a manual request is also returned for an automatic one", async () => {
			const fixture = opened();
			void fixture.ask("manual");
			const prediction = fixture.ask();
			fixture.model.requests[0]?.writes("const area = w * h\n");
			expect(fixture.draw(await prediction)).toEqual(["const area = ‹→w * h›\n"]);
			expect(fixture.askNow()).toEqual(["const area = ‹→w * h›\n"]);
			expect(fixture.model.requests).toHaveLength(1);
		});
	});

	test("a manual request gets sure suggestions immediately, others after the model's reply", async () => {
		expect(renaming().askNow("manual")).toEqual([renamed]);
		const unsure = new EditModelFixture("one(a▮)\ntwo(a)\nend()\n");
		unsure.does("one(‹a→b▮›)\ntwo(a)\nend()\n");
		const prediction = unsure.ask("manual");
		expect(prediction).toBeInstanceOf(Promise);
		unsure.model.requests[0]?.writesNothing("no-edit");
		expect(unsure.draw(await prediction)).toEqual(["one(b)\ntwo(‹a→b›)\nend()\n"]);
	});
});

describe("feedback", () => {
	test("a rejected suggestion stays hidden after its start is typed", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.reject(fixture.first());
		expect(fixture.askNow()).toBe("rejected-before");
		fixture.type("w");
		expect(await fixture.askAndHave("const area = w‹→ * h›\n")).toBe("rejected-before");
	});

	test("the rest of a rejected hunk stays hidden after its first lines are typed", async () => {
		const fixture = new EditModelFixture("one()▮\nend()\n");
		await fixture.askAndHave("one()\n‹→two()\nsix()\n›end()\n");
		fixture.reject(fixture.first());
		fixture.does("one()‹→\ntwo()\ns▮›\nend()\n");
		expect(fixture.ask()).toBeInstanceOf(Promise);
	});

	test("outcomes are sent to models that accept feedback", async () => {
		const fixture = new EditModelFixture("const area = ▮\n");
		await fixture.askAndHave("const area = ‹→w * h›\n");
		fixture.accept(fixture.first());
		expect(fixture.model.feedback).toEqual(["answer_1 accepted"]);
	});
});

describe("speculation", () => {
	test("requests the edit after a suggestion before it is accepted", async () => {
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

	test("is aborted first when the model is needed", async () => {
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
			"a suggestion from the model",
			"one(▮)\nend()\n",
			(fixture: EditModelFixture) => fixture.askAndHave("one(‹→1›)\nend()\n"),
		],
		[
			"a suggestion from the rules",
			"let cnt▮ = 0\nlog(cnt)\nlog(cnt)\n",
			async (fixture: EditModelFixture) => {
				fixture.does("let ‹cnt→count▮› = 0\nlog(cnt)\nlog(cnt)\n");
				fixture.does("let count = 0\nlog(‹cnt→count▮›)\nlog(cnt)\n");
				void fixture.ask();
				fixture.model.requests[0]?.writesNothing("no-edit");
				await settled();
			},
		],
	])("is aborted when %s is rejected", async (_, drawn, show) => {
		const fixture = new EditModelFixture(drawn, true);
		fixture.model.pendingMax = 1;
		await show(fixture);
		expect(fixture.model.requests[1]?.isOver).toBe(false);
		fixture.reject(fixture.first());
		expect(fixture.model.requests[1]?.isOver).toBe(true);
		expect(fixture.model.requests).toHaveLength(2);
	});

	test("does not start for a suggestion that was already rejected", async () => {
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

	test("an error during speculation is thrown by the next request", async () => {
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

	test("waits until the model is idle", async () => {
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

	test("a request for the same text waits for the pending reply", async () => {
		const fixture = new EditModelFixture("one(▮)\nend()\n", true);
		await fixture.askAndHave("one(‹→1›)\nend()\n");
		fixture.accept(fixture.first());
		const prediction = fixture.ask();
		expect(fixture.model.requests).toHaveLength(2);
		fixture.model.requests[1]?.writes("one(1)\nend(1)\n");
		expect(fixture.draw(await prediction)).toEqual(["one(1)\nend(‹→1›)\n"]);
	});

	test("is skipped if the reply contains another edit to show next", async () => {
		const fixture = new EditModelFixture("one(▮)\ntwo()\nend()\n", true);
		await fixture.askAndHave("one(‹→1›)\ntwo()\nend(‹→1›)\n");
		expect(fixture.model.requests).toHaveLength(1);
	});
});

describe("with a parser", async () => {
	const { parse } = (await inProcessOutliner()).outlines();

	test("edits with syntax errors are not shown, even for manual requests", async () => {
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
