import type { Schema } from "@segue/rpc";

/** What a message makes of its params or its result, as they came; undefined where it refuses them. */
export function readPart(
	message: { readonly params: Schema<unknown>; readonly result?: Schema<unknown> },
	part: "params" | "result",
	value: unknown,
): unknown {
	const read = message[part]?.["~standard"].validate(value);
	if (read === undefined || read instanceof Promise) throw new Error(`it has no ${part} that are read at once`);
	return read.issues === undefined ? read.value : undefined;
}
