import * as z from "zod";

// What is read is taken as far as it makes sense, because peers differ in what they write and newer ones write more.
// Objects keep members that are not known here. What is written follows the strictest peer, which the types of the
// messages and the contract tests see to.

/** Free data beside the members of the protocol. Ours is under `segue`. */
export const meta = z.record(z.string(), z.unknown()).nullish().catch(undefined);

/** A member that may be missing, null or of a wrong type: then it counts as missing. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullish().catch(undefined);
}

/** A list whose bad items are passed over. */
export function skipping<Schema extends z.ZodType>(item: Schema) {
	return z.array(z.unknown()).transform((items) =>
		items.flatMap((each): z.output<Schema>[] => {
			const read = item.safeParse(each);
			return read.success ? [read.data] : [];
		}),
	);
}

/** One of some words, or another that a later version may have brought. */
export function word<const Words extends readonly string[]>(..._known: Words) {
	return z.custom<Words[number] | (string & {})>((value) => typeof value === "string");
}

/**
 * An object. Members that are not known here stay in it, and its type does not name them, so that nobody writes what is
 * not in the protocol.
 */
export function record<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
	return z.looseObject(shape) as z.ZodObject as z.ZodObject<Shape>;
}

/** An answer without content. Peers write null, nothing, or an object. */
export const nothing = z.preprocess((value) => value ?? {}, record({ _meta: meta }));

/**
 * Refuses paths and URIs with a NUL character, in a string or in the given members of a value that was read: no
 * operating system takes them, and Node throws where they are used.
 */
export function withoutNul<Schema extends z.ZodType>(
	schema: Schema,
	pathsOf: (value: z.output<Schema>) => readonly unknown[] = (value) => (Array.isArray(value) ? value : [value]),
): Schema {
	return schema.superRefine((value, context) => {
		const hasNul = pathsOf(value).some((each) => typeof each === "string" && /\0|^file:.*%00/i.test(each));
		if (hasNul) context.addIssue({ code: "custom", expected: "a path without NUL characters" });
	});
}
