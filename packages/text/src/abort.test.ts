import { expect, test } from "vitest";
import { eachUnlessCancelled, unlessCancelled, whenAborted } from "./abort.js";

const NEVER = new Promise<never>(() => {});

test("rejects with the signal's reason while a promise is pending, and immediately if the signal is already aborted", async () => {
	const cancel = new AbortController();
	const pending = unlessCancelled(NEVER, cancel.signal);
	cancel.abort("enough");
	await expect(pending).rejects.toBe("enough");
	await expect(unlessCancelled(NEVER, cancel.signal)).rejects.toBe("enough");
});

test("settles like the promise", async () => {
	const { signal } = new AbortController();
	await expect(unlessCancelled(Promise.resolve(1), signal)).resolves.toBe(1);
	await expect(unlessCancelled(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
});

test("ends a stream that ignores the signal", async () => {
	const cancel = new AbortController();
	async function* hanging() {
		yield 1;
		await NEVER;
	}
	const items = eachUnlessCancelled(hanging(), cancel.signal);
	expect(await items.next()).toEqual({ done: false, value: 1 });
	const next = items.next();
	cancel.abort("enough");
	await expect(next).rejects.toBe("enough");
});

test("resolves when the signal is aborted", async () => {
	const cancel = new AbortController();
	const aborted = whenAborted(cancel.signal);
	cancel.abort();
	await aborted;
	await whenAborted(cancel.signal);
});
