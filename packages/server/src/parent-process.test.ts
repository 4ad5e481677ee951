import { FakeClock } from "@segue/testing/clock";
import { EcaEditor } from "@segue/testing/editors/eca-editor";
import { describe, expect, test } from "vitest";
import { watchParent } from "./parent-process.js";

function failing(code: string): () => never {
	return () => {
		throw Object.assign(new Error(code), { code });
	};
}

describe("watchParent", () => {
	test("reports within two seconds, and only once, that the process is gone", () => {
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

	test("treats another user's process as alive", () => {
		const clock = new FakeClock();
		let gone = 0;
		watchParent(42, { after: clock.after, kill: failing("EPERM") }, () => gone++);
		clock.advance(10_000);
		expect(gone).toBe(0);
	});

	test("stops watching", () => {
		const clock = new FakeClock();
		const stop = watchParent(42, { after: clock.after, kill: () => {} }, () => {});
		clock.advance(5_000);
		stop();
		expect(clock.isIdle).toBe(true);
	});

	test("closes the connection immediately if the process is already gone", async () => {
		const checked: number[] = [];
		const kill = (pid: number) => {
			checked.push(pid);
			failing("ESRCH")();
		};
		const editor = await EcaEditor.open({ options: { kill } });
		editor.send({ id: 0, method: "initialize", params: { processId: 4711 } });
		expect(await editor.closed).toBe("us: the parent process has exited");
		expect(checked).toEqual([4711]);
	});

	test.each([null, undefined, 0, -1, "12"])("is not used if the process id is %j", async (processId) => {
		const editor = await EcaEditor.open({ options: { kill: failing("ESRCH") } });
		expect((await editor.initialize({ processId })).result).toBeDefined();
	});
});
