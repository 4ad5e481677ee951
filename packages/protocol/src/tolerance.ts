import * as z from "zod/mini";

// Schemas are written with zod/mini, because web pages download it and it is half the size of zod.
//
// Schemas are lenient when reading, because peers differ in details and newer peers send more. Objects keep
// unknown members. Outgoing messages must satisfy the strictest peer; the message types and the contract tests
// enforce that.

/** Extension data. Ours is under `segue`. */
export const meta = z.catch(z.nullish(z.record(z.string(), z.unknown())), undefined);

/** An optional member. Null or an invalid value counts as missing. */
export function lenient<Schema extends z.ZodMiniType>(schema: Schema) {
	return z.catch(z.nullish(schema), undefined);
}

/** A list that drops invalid items. */
export function skipping<Schema extends z.ZodMiniType>(item: Schema) {
	return z.pipe(
		z.array(z.unknown()),
		z.transform((items) =>
			items.flatMap((each): z.output<Schema>[] => {
				const read = item.safeParse(each);
				return read.success ? [read.data] : [];
			}),
		),
	);
}

/** A string enum that also accepts unknown values, which a later version may have added. */
export function word<const Words extends readonly string[]>(..._known: Words) {
	return z.custom<Words[number] | (string & {})>((value) => typeof value === "string");
}

/**
 * An object that keeps unknown members. Its type omits them, so outgoing messages contain only members of the protocol.
 */
export function record<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strip> {
	return z.looseObject(shape) as z.ZodMiniObject as z.ZodMiniObject<Shape, z.core.$strip>;
}

/** Changes a value before a schema reads it. */
export function preprocess<Schema extends z.ZodMiniType>(change: (value: unknown) => unknown, schema: Schema) {
	return z.pipe(z.transform(change), schema);
}

/** An empty result. Peers send null or an object, or omit it. */
export const nothing = preprocess((value) => value ?? {}, record({ _meta: meta }));

/**
 * Rejects paths and URIs that contain a NUL character. Operating systems don't accept them, and Node's file system
 * calls throw. By default, checks the parsed string or list of strings; `pathsOf` selects other members.
 */
export function withoutNul<Schema extends z.ZodMiniType>(
	schema: Schema,
	pathsOf: (value: z.output<Schema>) => readonly unknown[] = (value) => (Array.isArray(value) ? value : [value]),
): Schema {
	return schema.check(({ value, issues }) => {
		const hasNul = pathsOf(value).some((each) => typeof each === "string" && /\0|^file:.*%00/i.test(each));
		if (hasNul) issues.push({ code: "custom", input: value, expected: "a path without NUL characters" });
	});
}
