import type { Assist, Job } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import type { EcaSession } from "./eca-session.js";

/** Handles `jobs/list`, `jobs/kill` and `jobs/readOutput` for background commands in chats. */
export function jobHandlers(session: EcaSession, now: () => number): Handler<"client">[] {
	return [
		on(eca.listJobs, async () => jobsIn(session, (await session.engine()).assist, now)),
		on(eca.killJob, async ({ jobId }) => ({ killed: (await session.engine()).assist.jobs.kill(jobId) })),
		on(eca.readJobOutput, async ({ jobId }) => {
			const { jobs } = (await session.engine()).assist;
			const job = jobs.list().find(({ id }) => id === jobId);
			const lines = jobs.output(jobId);
			if (job === undefined || lines === undefined) {
				throw new RpcError(ErrorCode.invalidParams, "Unknown job. It may have been removed from the list.");
			}
			return { lines: [...lines], status: job.status, exitCode: job.exitCode ?? null };
		}),
	];
}

/** Sends `jobs/updated` when a job starts or ends, until the signal is aborted. */
export async function announceJobs(session: EcaSession, now: () => number, signal: AbortSignal): Promise<void> {
	if (session.protocolVersion === "2025-06-09") return;
	try {
		const { assist } = await session.engine();
		const send = async () => {
			const jobs = await jobsIn(session, assist, now);
			if (!signal.aborted) session.connection.notify(eca.jobsUpdated, jobs);
		};
		// Send updates one after another. Each reads thread titles first, so a later update could overtake an earlier one.
		let sent = Promise.resolve();
		const unwatch = assist.jobs.watch(() => {
			sent = sent.then(send).catch((error) => session.report(error));
		});
		signal.addEventListener("abort", unwatch, { once: true });
	} catch (error) {
		session.explain(error);
	}
}

async function jobsIn(session: EcaSession, assist: Assist, now: () => number): Promise<eca.JobsUpdated> {
	const jobs = await Promise.all(
		assist.jobs.list().map(async (job) => {
			const { id, threadId, command, startedAt, status, exitCode } = job;
			const chatId = session.chats.known().find((chat) => chat.threadId === threadId)?.id ?? threadId;
			const title = (await assist.thread(threadId))?.title;
			return {
				...{ id, type: "shell", status, label: command, summary: null, startedAt: startedAt.toISOString() },
				...{ elapsed: elapsedOf(job, now), exitCode: exitCode ?? null, chatId, chatLabel: title || `${chatId}` },
			};
		}),
	);
	return { jobs };
}

/** Formats a duration, for example "5m23s". */
function elapsedOf({ startedAt, endedAt }: Job, now: () => number): string {
	const seconds = Math.max(0, Math.round(((endedAt?.getTime() ?? now()) - startedAt.getTime()) / 1000));
	const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
	return h > 0 ? `${h}h${m}m` : m > 0 ? `${m}m${s}s` : `${s}s`;
}
