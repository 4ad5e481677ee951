import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod";
import { lenient, meta, nothing, record, skipping, withoutNul, word } from "../tolerance.js";
import { contentBlock, mcpServer } from "./content-block.js";

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

// The life of a session of chat. Next edits have sessions of their own.

const sessionId = z.string();

/** Where a session works. Paths are absolute. */
const place = {
	cwd: withoutNul(z.string()),
	additionalDirectories: withoutNul(lenient(z.array(z.string()))),
	mcpServers: lenient(skipping(mcpServer)),
	_meta: meta,
};

const sessionMode = record({ id: z.string(), name: z.string(), description: lenient(z.string()), _meta: meta });
const modeState = record({ currentModeId: z.string(), availableModes: skipping(sessionMode), _meta: meta });
export type ModeState = z.output<typeof modeState>;

/** What can be set in a session. `modes` is the older way to say what a setting of the category `mode` says. */
const settings = {
	modes: lenient(modeState),
	configOptions: lenient(skipping(configOption)),
	_meta: meta,
};

export const newSession = request({
	method: "session/new",
	from: "client",
	params: record(place),
	result: record({ sessionId, ...settings }),
});
export type NewSession = ParamsOf<typeof newSession>;

/** Opens a session of before. Its whole history is told by updates ahead of the answer. */
export const loadSession = request({
	method: "session/load",
	from: "client",
	params: record({ sessionId, ...place }),
	// Some agents answer with null.
	result: z.preprocess((value) => value ?? {}, record(settings)),
});
export type LoadSession = ParamsOf<typeof loadSession>;

/** Opens a session of before without telling of its history. */
export const resumeSession = request({
	method: "session/resume",
	from: "client",
	params: record({ sessionId, ...place }),
	result: z.preprocess((value) => value ?? {}, record(settings)),
});

/** Ends what a session is doing and frees what belongs to it. It can be opened again. */
export const closeSession = request({
	method: "session/close",
	from: "client",
	params: record({ sessionId, _meta: meta }),
	result: nothing,
});

export const deleteSession = request({
	method: "session/delete",
	from: "client",
	params: record({ sessionId, _meta: meta }),
	result: nothing,
});

const sessionInfo = record({
	sessionId,
	cwd: z.string(),
	additionalDirectories: lenient(z.array(z.string())),
	title: lenient(z.string()),
	updatedAt: lenient(z.string()),
	_meta: meta,
});
export type SessionInfo = z.output<typeof sessionInfo>;

/** The sessions that can be opened, newest first, some at a time. */
export const listSessions = request({
	method: "session/list",
	from: "client",
	params: record({ cwd: withoutNul(lenient(z.string())), cursor: lenient(z.string()), _meta: meta }).nullish(),
	result: record({ sessions: skipping(sessionInfo), nextCursor: lenient(z.string()), _meta: meta }),
});

export const setMode = request({
	method: "session/set_mode",
	from: "client",
	params: record({ sessionId, modeId: z.string(), _meta: meta }),
	result: nothing,
});

/** A turn. Every update of it comes before the answer. */
export const prompt = request({
	method: "session/prompt",
	from: "client",
	params: record({ sessionId, prompt: z.array(contentBlock), _meta: meta }),
	result: record({
		stopReason: word("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"),
		_meta: meta,
	}),
});
export type Prompt = ParamsOf<typeof prompt>;
export type StopReason = ResultOf<typeof prompt>["stopReason"];

/** Ends a turn early. The prompt is then answered with `cancelled`, never with an error. */
export const cancel = notification({
	method: "session/cancel",
	from: "client",
	params: record({ sessionId, _meta: meta }),
});
