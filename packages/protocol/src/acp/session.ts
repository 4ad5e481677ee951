import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, nothing, preprocess, record, skipping, withoutNul, word } from "../tolerance.js";
import { contentBlock, mcpServer } from "./content-block.js";

// Settings for a chat session or an NES session.

/** The NES draft uses `label` for ACP's `name`, and `enum` for ACP's `select`. */
function withNames<Schema extends z.ZodMiniType>(schema: Schema) {
	return preprocess((value) => {
		if (typeof value !== "object" || value === null) return value;
		const { name, label, type } = value as Record<string, unknown>;
		return { ...value, ...(name === undefined && { name: label }), ...(type === "enum" && { type: "select" }) };
	}, schema);
}

const choice = withNames(
	record({ value: z.string(), name: z.string(), description: lenient(z.string()), _meta: meta }),
);

/** Related choices under a heading. */
const group = record({ group: z.string(), name: z.string(), options: skipping(choice), _meta: meta });

const about = {
	id: z.string(),
	name: z.string(),
	description: lenient(z.string()),
	/** `mode`, `model`, `thought_level` or a custom category. */
	category: lenient(z.string()),
	_meta: meta,
};

/** A setting with its current value. Booleans are only sent to clients that support them. */
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

/** Changes a setting. The response contains all settings. */
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

// Lifecycle of a chat session. NES sessions are separate.

const sessionId = z.string();

/** The workspace of a session. Paths are absolute. */
const place = {
	cwd: withoutNul(z.string()),
	additionalDirectories: withoutNul(lenient(z.array(z.string()))),
	mcpServers: lenient(skipping(mcpServer)),
	_meta: meta,
};

const sessionMode = record({ id: z.string(), name: z.string(), description: lenient(z.string()), _meta: meta });
const modeState = record({ currentModeId: z.string(), availableModes: skipping(sessionMode), _meta: meta });
export type ModeState = z.output<typeof modeState>;

/** A session's settings. `modes` is the older form of a setting in the category `mode`. */
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

/** Opens an existing session. The agent sends the full history as updates before the response. */
export const loadSession = request({
	method: "session/load",
	from: "client",
	params: record({ sessionId, ...place }),
	// Some agents respond with null.
	result: preprocess((value) => value ?? {}, record(settings)),
});
export type LoadSession = ParamsOf<typeof loadSession>;

/** Opens an existing session without sending its history. */
export const resumeSession = request({
	method: "session/resume",
	from: "client",
	params: record({ sessionId, ...place }),
	result: preprocess((value) => value ?? {}, record(settings)),
});

/** Stops a session's work and frees its resources. The session can be opened again. */
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

/** Returns a page of existing sessions, newest first. */
export const listSessions = request({
	method: "session/list",
	from: "client",
	params: z.nullish(record({ cwd: withoutNul(lenient(z.string())), cursor: lenient(z.string()), _meta: meta })),
	result: record({ sessions: skipping(sessionInfo), nextCursor: lenient(z.string()), _meta: meta }),
});

export const setMode = request({
	method: "session/set_mode",
	from: "client",
	params: record({ sessionId, modeId: z.string(), _meta: meta }),
	result: nothing,
});

/** Runs a turn. All updates of the turn are sent before the response. */
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

/** Cancels a turn. The prompt request then succeeds with the stop reason `cancelled`; it does not fail. */
export const cancel = notification({
	method: "session/cancel",
	from: "client",
	params: record({ sessionId, _meta: meta }),
});
