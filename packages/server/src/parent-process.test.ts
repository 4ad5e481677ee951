import { FakeClock } from "@segue/testing/clock";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";
import { watchParent } from "./parent-process.js";

function failing(code: string): () => never {
	return () => {
		throw Object.assign(new Error(code), { code });
	};
}

describe("the process that started us", () => {
	test("is noticed to be gone within two seconds, once", () => {
		const clock = new FakeClock();
		let kill: () => void = () => {};
		let gone = 0;
		watchParent(42, { after: clock.after, kill: () => kill() }, () => gone++);
		clock.advance(60_000);
		expect(gone).toBe(0);
		kill = failing("ESRCH");
		clock.advance(2_000);
		expect(gone).toBe(1);
		clock.advance(60_000);
		expect(gone).toBe(1);
		expect(clock.isIdle).toBe(true);
	});

	test("that belongs to somebody else is there", () => {
		const clock = new FakeClock();
		let gone = 0;
		watchParent(42, { after: clock.after, kill: failing("EPERM") }, () => gone++);
		clock.advance(10_000);
		expect(gone).toBe(0);
	});

	test("is watched no longer when nobody wants to know", () => {
		const clock = new FakeClock();
		const stop = watchParent(42, { after: clock.after, kill: () => {} }, () => {});
		clock.advance(5_000);
		stop();
		expect(clock.isIdle).toBe(true);
	});

	test("ends the connection with it, at once where it was gone before", async () => {
		const asked: number[] = [];
		const kill = (pid: number) => {
			asked.push(pid);
			failing("ESRCH")();
		};
		const editor = await EcaEditor.open({ options: { kill } });
		editor.say({ id: 0, method: "initialize", params: { processId: 4711 } });
		expect(await editor.closed).toBe("us: the process that started this one is gone");
		expect(asked).toEqual([4711]);
	});

	test.each([null, undefined, 0, -1, "12"])("is not looked for where it is %j", async (processId) => {
		const editor = await EcaEditor.open({ options: { kill: failing("ESRCH") } });
		expect((await editor.initialize({ processId })).result).toBeDefined();
	});
});
