import { notification, type ParamsOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { chatId, fromEditor } from "./params.js";

const status = word("running", "completed", "failed", "killed");
const exitCode = z.nullable(z.int());

/** Background commands started by chats. */
const jobs = record({
	jobs: skipping(
		record({
			id: z.string(),
			type: word("shell"),
			status,
			/** The command. */
			label: z.string(),
			summary: z.nullable(z.string()),
			/** ISO 8601. */
			startedAt: z.string(),
			/** Human-readable, for example "5m23s". */
			elapsed: z.string(),
			exitCode,
			chatId,
			chatLabel: z.string(),
		}),
	),
});

const ofJob = fromEditor(record({ jobId: z.string() }));

export const listJobs = request({ method: "jobs/list", from: "client", params: fromEditor(record({})), result: jobs });

export const killJob = request({
	method: "jobs/kill",
	from: "client",
	params: ofJob,
	result: record({ killed: z.boolean() }),
});

export const readJobOutput = request({
	method: "jobs/readOutput",
	from: "client",
	params: ofJob,
	result: record({
		lines: skipping(record({ text: z.string(), stream: lenient(word("stdout", "stderr")) })),
		status,
		exitCode,
	}),
});

export const jobsUpdated = notification({ method: "jobs/updated", from: "agent", params: jobs });
export type JobsUpdated = ParamsOf<typeof jobsUpdated>;
