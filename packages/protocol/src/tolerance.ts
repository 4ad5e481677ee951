import * as z from "zod";

// Schemas are lenient when reading, because peers differ in details and newer ones send more. Objects keep unknown
// members. Outgoing messages must satisfy the strictest peer; the message types and the contract tests enforce that.

/** Extension data. Ours is under `segue`. */
export const meta = z.record(z.string(), z.unknown()).nullish().catch(undefined);

/** An optional member. Null or an invalid value counts as missing. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
	return schema.nullish().catch(undefined);
}

/** A list that drops invalid items. */
export function skipping<Schema extends z.ZodType>(item: Schema) {
	return z.array(z.unknown()).transform((items) =>
		items.flatMap((each): z.output<Schema>[] => {
			const read = item.safeParse(each);
			return read.success ? [read.data] : [];
		}),
	);
}

/** A string enum that also accepts unknown values, which a later version may have added. */
export function word<const Words extends readonly string[]>(..._known: Words) {
	return z.custom<Words[number] | (string & {})>((value) => typeof value === "string");
}

/**
 * An object that keeps unknown members. Its type omits them, so outgoing messages contain only members of the protocol.
 */
export function record<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
	return z.looseObject(shape) as z.ZodObject as z.ZodObject<Shape>;
}

/** An empty result. Peers send null, an object, or leave it out. */
export const nothing = z.preprocess((value) => value ?? {}, record({ _meta: meta }));

/**
 * Rejects paths and URIs with a NUL character. Operating systems don't accept them, and Node's file system calls throw.
 * By default, checks the parsed string or list of strings; `pathsOf` selects other members.
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
