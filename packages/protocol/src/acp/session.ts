import { request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, record, skipping } from "../tolerance.js";

// Settings of a session, of chat or of next edits.

/** The draft of NES has `label` where ACP has `name`, and `enum` where it has `select`. */
function withNames<Schema extends z.ZodType>(schema: Schema) {
	return z.preprocess((value) => {
		if (typeof value !== "object" || value === null) return value;
		const { name, label, type } = value as Record<string, unknown>;
		return { ...value, ...(name === undefined && { name: label }), ...(type === "enum" && { type: "select" }) };
	}, schema);
}

const choice = withNames(
	record({ value: z.string(), name: z.string(), description: lenient(z.string()), _meta: meta }),
);

/** Choices that belong together, under a heading. */
const group = record({ group: z.string(), name: z.string(), options: skipping(choice), _meta: meta });

const about = {
	id: z.string(),
	name: z.string(),
	description: lenient(z.string()),
	/** `mode`, `model`, `thought_level` or any other. */
	category: lenient(z.string()),
	_meta: meta,
};

/** A setting with its present value. Booleans go only to clients that say they know them. */
export const configOption = withNames(
	z.discriminatedUnion("type", [
		record({
			...about,
			type: z.literal("select"),
			currentValue: z.string(),
			options: skipping(z.union([choice, group])),
		}),
		record({ ...about, type: z.literal("boolean"), currentValue: z.boolean() }),
	]),
);
export type ConfigOption = z.output<typeof configOption>;

/** Changes a setting; the answer has all of them. */
export const setConfigOption = request({
	method: "session/set_config_option",
	from: "client",
	params: record({
		sessionId: z.string(),
		configId: z.string(),
		value: z.union([z.string(), z.boolean()]),
		_meta: meta,
	}),
	result: record({ configOptions: skipping(configOption), _meta: meta }),
});
