import { reportUserErrors } from "@segue/agent/config/user-error";
import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { type RequestLogContent, readRequestLogs } from "@segue/agent/request-log/request-log-file";
import type { CandidateRecord, RequestRecord } from "@segue/agent/request-log/request-record";
import { sanitizeLine, sanitizeName } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { cutAtWord, pad, percentage, widthOf, wrap } from "../terminal/width.js";

// Fits in a terminal beside another window.
const WIDTH = 100;

export interface RecentOptions {
	/** If given, only the server with this process id is shown. */
	readonly server?: number;
	/** Number of requests to show per server. */
	readonly last: number;
	readonly json?: boolean;
}

/** The parts of the process that the command uses. */
interface RecentContext {
	readonly env: EnvironmentVariables;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	readonly isColoured: boolean;
}

/** Runs `segue why` without stories: explains the last requests to running servers. */
export async function runExplainRecent(options: RecentOptions, process: CommandProcess): Promise<void> {
	const { env, stdout, stderr } = process;
	process.exitCode = await explainRecent(options, { env, stdout, stderr, isColoured: isColoured(stdout, env) });
}

/** Returns the exit code: 1 if no running server has requests. */
export async function explainRecent(options: RecentOptions, context: RecentContext): Promise<number> {
	const { env, stdout, stderr, isColoured } = context;
	const { server, last, json = false } = options;
	let found: readonly RequestLogContent[] = [];
	const code = await reportUserErrors(stderr, async () => {
		const { logs, unreadable } = await readRequestLogs(userFilesOf(env).requests);
		for (const file of unreadable) stderr.write(`segue: Skipping ${sanitizeName(file)}: a server did not write it.\n`);
		found = logs
			.filter(({ pid }) => server === undefined || pid === server)
			.map((log) => ({ ...log, requests: log.requests.slice(-last) }));
	});
	if (code !== 0) return code;
	if (json) stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
	if (found.length === 0) {
		const which = server === undefined ? "No running server" : `No running server with process id ${server}`;
		stderr.write(
			`segue: ${which} has requests. Type in an editor that uses Segue, wait a second, and run this again. To explain a story, pass its file.\n`,
		);
		return 1;
	}
	const paint = paintFor(isColoured);
	if (!json) stdout.write(found.map((log) => printLog(log, paint)).join("\n"));
	return 0;
}

function printLog({ pid, startedAt, withCode, requests }: RequestLogContent, paint: Paint): string {
	const lines = [`${paint.bold(`Server ${pid}`)}, running since ${timeOf(startedAt)}`];
	for (const request of requests) lines.push("", ...printRequest(request, paint));
	const hasCandidates = requests.some(({ candidates }) => candidates.length > 0);
	const notes = [...(hasCandidates ? [LEGEND] : []), ...(withCode ? [] : [WITHOUT_CODE])];
	if (notes.length > 0) lines.push("", ...notes.flatMap((note) => wrapped(note, "")).map(paint.dim));
	return `${lines.join("\n")}\n`;
}

const LEGEND = "▸ shown, ▹ shown next, %: the estimated chance that you want the edit.";
const WITHOUT_CODE = "To see code, paths and model servers' messages, start the server with --with-code.";

function printRequest(request: RequestRecord, paint: Paint): string[] {
	const { at, trigger, language, latencyMs, count, candidates, silence, model, uri, detail } = request;
	const candidatesCounted = `${count || "no"} ${count === 1 ? "candidate" : "candidates"}`;
	const facts = [trigger === undefined ? [] : `${trigger} request`, language, `${figure(latencyMs)} ms`]
		.flat()
		.map(sanitizeLine)
		.join(", ");
	const outcome = silence === undefined ? "suggestion" : "no suggestion";
	const lines = [`  ${paint.bold(timeOf(at))}  ${facts}: ${outcome}, ${candidatesCounted}`];
	if (uri !== undefined) lines.push(paint.dim(cutAtWord(`    ${sanitizeLine(uri)}`, WIDTH)));
	if (silence !== undefined) lines.push(...wrapped(`Reason: ${wordsFor(silence)}`, MARGIN_OF_WORDS));
	const who =
		model === undefined ? "" : `${[model.name, ...(model.failure ? [`(${model.failure})`] : [])].join(" ")}: `;
	const message = detail ?? model?.words;
	if (message !== undefined) lines.push(...wrapped(sanitizeLine(`${who}${message}`), MARGIN_OF_WORDS));
	for (const candidate of candidates) lines.push(...printCandidate(candidate, paint));
	return lines;
}

const MARGIN_OF_WORDS = "    ";

const CHANCE = "100 %".length;
// The widths of a candidate's mark and chance, and of its predictor or model.
const MARGIN = 11;
const LABEL = 13;

function printCandidate(candidate: CandidateRecord, paint: Paint): string[] {
	const { predictor, model, kind, chance, objection, offered, verdict, why, drawn = [] } = candidate;
	const mark = offered === undefined ? " " : offered === 0 ? "▸" : "▹";
	const head = (offered === undefined ? paint.dim : paint.green)(`  ${mark} ${percentage(chance).padStart(CHANCE)}  `);
	const who = pad(cutAtWord(sanitizeLine(model ?? predictor), LABEL * 2 - 1), LABEL);
	const status = objection === undefined ? shownWords(offered, verdict) : `not shown: ${wordsFor(objection)}`;
	const what = kind === "edit" ? "" : `${kind}; `;
	const [first = "", ...rest] = wrap(`${what}${status}`, WIDTH - MARGIN - widthOf(who) - 1);
	const indent = " ".repeat(MARGIN);
	return [
		`${head}${who} ${first}`,
		...rest.map((line) => `${indent}${" ".repeat(widthOf(who) + 1)}${line}`),
		...[why ?? [], drawn].flat().map((line) => paint.dim(cutAtWord(`${indent}${sanitizeLine(line)}`, WIDTH))),
	];
}

function shownWords(offered: number | undefined, verdict: string | undefined): string {
	if (offered === undefined) return "not shown: there is a more likely suggestion there, or three others are shown";
	const status = offered === 0 ? "shown" : "shown next if the first is accepted";
	return verdict === undefined ? status : `${status}; ${VERDICTS[verdict] ?? sanitizeLine(verdict)}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
	accepted: "accepted",
	partly: "partly accepted",
	typed: "typed by the user",
	rejected: "dismissed",
	ignored: "ignored",
	replaced: "replaced by a newer suggestion",
	cancelled: "too late to be shown",
	gone: "removed by the editor without a reason",
};

/** Describes a reason. A log written by another version can contain unknown reasons. */
function wordsFor(reason: string): string {
	const words = Object.hasOwn(NO_SUGGESTION_REASONS, reason)
		? `${NO_SUGGESTION_REASONS[reason as keyof typeof NO_SUGGESTION_REASONS]} `
		: "";
	return `${words}(${sanitizeLine(reason)})`;
}

function wrapped(words: string, margin: string): string[] {
	return wrap(words, WIDTH - margin.length).map((line) => cutAtWord(`${margin}${line}`, WIDTH));
}

/** Formats the local time of day. */
function timeOf(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return "an unknown time";
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => `${part}`.padStart(2, "0")).join(":");
}

function figure(value: number): string {
	return `${Number(value.toPrecision(2))}`;
}
