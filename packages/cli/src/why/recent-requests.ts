import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { type RequestLogContent, readRequestLogs } from "@segue/agent/request-log/request-log-file";
import type { CandidateRecord, RequestRecord } from "@segue/agent/request-log/request-record";
import type { Predictor } from "@segue/predict";
import { sanitizeLine, sanitizeName } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { reportUserErrors, writeMessage } from "../terminal/message.js";
import { COLUMNS_MAX, columnsOf, cutAtWord, hang, type Output, pad, percentage } from "../terminal/width.js";

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
	readonly stdout: Output;
	readonly stderr: Output;
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
		for (const file of unreadable) writeMessage(stderr, `Skipping ${sanitizeName(file)}: a server did not write it.`);
		found = logs
			.filter(({ pid }) => server === undefined || pid === server)
			.map((log) => ({ ...log, requests: log.requests.slice(-last) }));
	});
	if (code !== 0) return code;
	if (json) stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
	if (found.length === 0) {
		const which = server === undefined ? "No running server" : `No running server with process id ${server}`;
		writeMessage(
			stderr,
			`${which} has requests. Type in an editor that uses Segue, wait a second, and run this again. To explain a story, pass its file.`,
		);
		return 1;
	}
	const paint = paintFor(isColoured);
	const width = Math.min(columnsOf(stdout), COLUMNS_MAX);
	if (!json) stdout.write(found.map((log) => printLog(log, paint, width)).join("\n"));
	return 0;
}

/** Formats the log of one server. */
function printLog({ pid, startedAt, withCode, requests }: RequestLogContent, paint: Paint, width: number): string {
	const lines = [`${paint.bold(`Server ${pid}`)}, running since ${timeOf(startedAt)}`];
	for (const request of requests) lines.push("", ...printRequest(request, paint, width));
	const hasCandidates = requests.some(({ candidates }) => candidates.length > 0);
	const notes = [...(hasCandidates ? [LEGEND] : []), ...(withCode ? [] : [WITHOUT_CODE])];
	if (notes.length > 0) lines.push("", ...notes.flatMap((note) => wrapped(note, "", width)).map(paint.dim));
	return `${lines.join("\n")}\n`;
}

const LEGEND =
	"A candidate is an edit or a jump that Segue considered. ▸ was shown, ▹ is shown next, and % is the estimated chance that you want it.";
const WITHOUT_CODE = "To see code, paths and model servers' messages, start the server with --with-code.";

function printRequest(request: RequestRecord, paint: Paint, width: number): string[] {
	const { at, trigger, language, latencyMs, count, candidates, silence, model, uri, detail } = request;
	const counted = `${count || "no"} ${count === 1 ? "candidate" : "candidates"}`;
	const listed = count > candidates.length ? ", the most likely below" : "";
	const facts = [trigger === undefined ? [] : `${trigger} request`, language, `${figure(latencyMs)} ms`]
		.flat()
		.map(sanitizeLine)
		.join(", ");
	const outcome = silence === undefined ? "suggestion" : "no suggestion";
	const time = timeOf(at);
	const [head = "", ...more] = hang(`  ${time}  `, `${facts}: ${outcome}, ${counted}${listed}`, width);
	const lines = [head.replace(time, paint.bold(time)), ...more];
	if (uri !== undefined) lines.push(paint.dim(cutAtWord(`    ${sanitizeLine(uri)}`, width)));
	if (silence !== undefined) lines.push(...wrapped(`Reason: ${wordsFor(silence)}`, MARGIN_OF_WORDS, width));
	const who =
		model === undefined ? "" : `${[model.name, ...(model.failure ? [`(${model.failure})`] : [])].join(" ")}: `;
	const message = detail ?? model?.words;
	if (message !== undefined) lines.push(...wrapped(sanitizeLine(`${who}${message}`), MARGIN_OF_WORDS, width));
	for (const candidate of candidates) lines.push(...printCandidate(candidate, paint, width));
	return lines;
}

const MARGIN_OF_WORDS = "    ";

const CHANCE = "100 %".length;
// The widths of a candidate's mark and chance, and of its predictor or model.
const MARGIN = 11;
const LABEL = 13;

function printCandidate(candidate: CandidateRecord, paint: Paint, width: number): string[] {
	const {
		predictor,
		model,
		kind,
		chance,
		objection,
		offered,
		verdict,
		why = reasonFor(candidate),
		drawn = [],
	} = candidate;
	const mark = offered === undefined ? " " : offered === 0 ? "▸" : "▹";
	const head = (offered === undefined ? paint.dim : paint.green)(`  ${mark} ${percentage(chance).padStart(CHANCE)}  `);
	const who = pad(cutAtWord(sanitizeLine(model ?? predictor), LABEL * 2 - 1), LABEL);
	const status = objection === undefined ? shownWords(offered, verdict) : `not shown: ${wordsFor(objection)}`;
	const what = kind === "edit" || kind === predictor ? "" : `${kind}; `;
	const indent = " ".repeat(MARGIN);
	const [first = "", ...rest] = hang(`${indent}${who} `, `${what}${status}`, width);
	return [
		`${head}${first.slice(MARGIN)}`,
		...rest,
		...(why === undefined ? [] : wrapped(sanitizeLine(why), indent, width)).map(paint.dim),
		...drawn.map((line) => paint.dim(cutAtWord(`${indent}${sanitizeLine(line)}`, width))),
	];
}

/**
 * Describes a rule without the user's code, for servers that record none. A log written by another version can contain
 * unknown rules.
 */
function reasonFor({ predictor, features = {} }: CandidateRecord): string | undefined {
	const [, byFeature] = Object.entries(JUMP_REASONS).find(([feature]) => features[feature]) ?? [];
	return byFeature ?? (Object.hasOwn(REASONS, predictor) ? REASONS[predictor as Predictor] : undefined);
}

/** By the features of jumps, which are 1 for a jump of the kind. */
export const JUMP_REASONS: Readonly<Record<string, string>> = {
	"jump.error": "Leads to an error in code that you changed.",
	"jump.use": "Leads to another use of what you changed.",
	"jump.rename": "Leads to the next use of a name that you changed.",
};

const REASONS: Readonly<Record<Predictor, string>> = {
	diagnostic: "Fixes an error or adds a missing import.",
	rename: "Continues a rename.",
	repeat: "Repeats your change in a similar place.",
	template: "Changes a line like those that you changed.",
	sibling: "Inserts code next to similar lines, as you did.",
	paste: "Adapts pasted code.",
	calls: "Updates a call to a function whose parameters you changed.",
	jump: "Leads to the next place to edit.",
	model: "Written by a model.",
};

function shownWords(offered: number | undefined, verdict: string | undefined): string {
	if (offered === undefined) return "not shown: more likely suggestions were shown instead";
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

function wrapped(words: string, margin: string, width: number): string[] {
	return hang(margin, words, width).map((line) => cutAtWord(line, width));
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
