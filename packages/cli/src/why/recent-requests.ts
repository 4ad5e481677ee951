import { reportUserErrors } from "@segue/agent/config/user-error";
import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { type RequestLogContent, readRequestLogs } from "@segue/agent/request-log/request-log-file";
import type { CandidateRecord, RequestRecord } from "@segue/agent/request-log/request-record";
import { sanitizeLine, sanitizeName } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { cut, pad, wrap } from "../terminal/width.js";

// What fits into a terminal beside something else.
const WIDTH = 100;

export interface RecentOptions {
	/** Of this server alone. */
	readonly server?: number;
	/** So many requests of each server. */
	readonly last: number;
	readonly json?: boolean;
}

/** What an explanation needs of the process it is in. */
interface RecentContext {
	readonly env: EnvironmentVariables;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	readonly isColoured: boolean;
}

/** `segue why` without a story: what running servers were asked last, and what they thought. */
export async function runExplainRecent(options: RecentOptions, process: CommandProcess): Promise<void> {
	const { env, stdout, stderr } = process;
	process.exitCode = await explainRecent(options, { env, stdout, stderr, isColoured: isColoured(stdout, env) });
}

/** Gives the exit code: 1 where no server runs that could be told of. */
export async function explainRecent(options: RecentOptions, context: RecentContext): Promise<number> {
	const { env, stdout, stderr, isColoured } = context;
	const { server, last, json = false } = options;
	let found: readonly RequestLogContent[] = [];
	const code = await reportUserErrors(stderr, async () => {
		const { logs, unreadable } = await readRequestLogs(userFilesOf(env).requests);
		for (const file of unreadable)
			stderr.write(`segue: ${sanitizeName(file)} is not what a server writes; passed over\n`);
		found = logs
			.filter(({ pid }) => server === undefined || pid === server)
			.map((log) => ({ ...log, requests: log.requests.slice(-last) }));
	});
	if (code !== 0) return code;
	if (json) stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
	if (found.length === 0) {
		const which = server === undefined ? "No server" : `No server with process id ${server}`;
		stderr.write(
			`segue: ${which} has been asked for suggestions and still runs. Type in an editor that has started segue acp, wait a second, and run this again; to explain a story, name its file.\n`,
		);
		return 1;
	}
	const paint = paintFor(isColoured);
	if (!json) stdout.write(found.map((log) => printLog(log, paint)).join("\n"));
	return 0;
}

function printLog({ pid, startedAt, withCode, requests }: RequestLogContent, paint: Paint): string {
	const lines = [`${paint.bold(`Server ${pid}`)}, since ${timeOf(startedAt)}`];
	for (const request of requests) lines.push("", ...printRequest(request, paint));
	if (!withCode) lines.push("", ...wrapped(WITHOUT_CODE, "").map(paint.dim));
	return `${lines.join("\n")}\n`;
}

const WITHOUT_CODE =
	"What the suggestions would write, in which files, and what a model's server said is told of a server that was started with --with-code.";

function printRequest(request: RequestRecord, paint: Paint): string[] {
	const { at, trigger, language, latencyMs, count, candidates, silence, model, uri, detail } = request;
	const candidatesCounted = `${count || "no"} ${count === 1 ? "candidate" : "candidates"}`;
	const circumstances = [trigger ?? [], language, `${figure(latencyMs)} ms`].flat().map(sanitizeLine).join(", ");
	const outcome = silence === undefined ? "suggests" : "suggests nothing";
	const lines = [`  ${paint.bold(timeOf(at))}  ${circumstances}: ${outcome}, of ${candidatesCounted}`];
	if (uri !== undefined) lines.push(paint.dim(cut(`    ${sanitizeLine(uri)}`, WIDTH)));
	if (silence !== undefined) lines.push(...wrapped(wordsFor(silence), MARGIN_OF_WORDS));
	const who =
		model === undefined ? "" : `${[model.name, ...(model.failure ? [`(${model.failure})`] : [])].join(" ")}: `;
	const said = detail ?? model?.words;
	if (said !== undefined) lines.push(...wrapped(sanitizeLine(`${who}${said}`), MARGIN_OF_WORDS));
	for (const candidate of candidates) lines.push(...printCandidate(candidate, paint));
	return lines;
}

const MARGIN_OF_WORDS = "    ";

// Where the words of a candidate begin, behind its mark and chance, and behind who found it.
const MARGIN = 10;
const LABEL = 13;

function printCandidate(candidate: CandidateRecord, paint: Paint): string[] {
	const { predictor, model, kind, chance, objection, offered, verdict, why, drawn = [] } = candidate;
	const mark = offered === undefined ? " " : offered === 0 ? "▸" : "▹";
	const share = chance.toFixed(2).replace(/^0/, "").padStart(4);
	const head = (offered === undefined ? paint.dim : paint.green)(`  ${mark} ${share}  `);
	const who = pad(cut(sanitizeLine(model ?? predictor), LABEL * 2 - 1), LABEL);
	const standing = objection === undefined ? shownWords(offered, verdict) : `not shown: ${wordsFor(objection)}`;
	const what = kind === "edit" ? "" : `${kind}; `;
	return [
		`${head}${cut(`${who} ${what}${standing}`, WIDTH - MARGIN)}`,
		...[why ?? [], drawn].flat().map((line) => paint.dim(cut(`${" ".repeat(MARGIN)}${sanitizeLine(line)}`, WIDTH))),
	];
}

function shownWords(offered: number | undefined, verdict: string | undefined): string {
	if (offered === undefined) return "not shown: a likelier one is for the same place, or three are offered";
	const standing = offered === 0 ? "shown" : "kept for when the one before it is accepted";
	return verdict === undefined ? standing : `${standing}; ${VERDICTS[verdict] ?? sanitizeLine(verdict)}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
	accepted: "accepted",
	partly: "partly accepted",
	typed: "typed by the user, just so",
	rejected: "rejected",
	ignored: "ignored: the user went on without it",
	replaced: "replaced by a newer one",
	cancelled: "came too late to be shown",
	gone: "taken back, and the editor does not say why",
};

/** A file may be of another version, which knows other reasons. */
function wordsFor(reason: string): string {
	const words = Object.hasOwn(NO_SUGGESTION_REASONS, reason)
		? `${NO_SUGGESTION_REASONS[reason as keyof typeof NO_SUGGESTION_REASONS]} `
		: "";
	return `${words}(${sanitizeLine(reason)})`;
}

function wrapped(words: string, margin: string): string[] {
	return wrap(words, WIDTH - margin.length).map((line) => cut(`${margin}${line}`, WIDTH));
}

/** The time of day, as the clock on the wall says it. */
function timeOf(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return "an unknown time";
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => `${part}`.padStart(2, "0")).join(":");
}

function figure(value: number): string {
	return `${Number(value.toPrecision(2))}`;
}
