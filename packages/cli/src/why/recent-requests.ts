import { type EnvironmentVariables, userFilesOf } from "@segue/agent/config/user-files";
import { NO_SUGGESTION_REASONS } from "@segue/agent/next-edit/no-suggestion";
import { type RequestLogContent, readRequestLogs } from "@segue/agent/request-log/request-log-file";
import type { CandidateRecord, RequestRecord } from "@segue/agent/request-log/request-record";
import type { Predictor } from "@segue/predict";
import { sanitizeLine, sanitizeName } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { kindName } from "../suggestion-kinds.js";
import { isColoured, type Paint, paintFor } from "../terminal/colour.js";
import { reportUserErrors, writeMessage } from "../terminal/message.js";
import { COLUMNS_MAX, columnsOf, cutAtWord, hang, type Output, pad, percentage } from "../terminal/width.js";

export interface RecentOptions {
	/** If given, only the server with this process id is shown. */
	readonly server?: number;
	/** Number of requests to show per server. */
	readonly last: number;
	/** Also prints the candidates of each request. */
	readonly all?: boolean;
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
	const { server, last, all = false, json = false } = options;
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
			`${which} has received requests. Type in an editor that uses Segue, wait a second, and run this command again.`,
		);
		return 1;
	}
	const paint = paintFor(isColoured);
	const width = Math.min(columnsOf(stdout), COLUMNS_MAX);
	if (!json) stdout.write(found.map((log) => printLog(log, all, paint, width)).join("\n"));
	return 0;
}

/** Formats the log of one server. */
function printLog(
	{ pid, startedAt, withCode, requests }: RequestLogContent,
	all: boolean,
	paint: Paint,
	width: number,
): string {
	const lines = [`${paint.bold(`Server ${pid}`)}, running since ${timeOf(startedAt)}`, ""];
	const outcomeCells = Math.max(...requests.map((request) => outcomeOf(request).length));
	if (all) {
		for (const [i, request] of requests.entries()) {
			const line = { request, outcome: outcomeOf(request), summary: summaryOf(request, withId) };
			if (i > 0) lines.push("");
			lines.push(...printRequest(line, outcomeCells, paint, width), ...printDetails(request, paint, width));
		}
	} else for (const line of collapsed(requests)) lines.push(...printRequest(line, outcomeCells, paint, width));
	const hasCandidates = requests.some(({ candidates }) => candidates.length > 0);
	const notes = [
		hasCandidates ? [all ? LEGEND : SUMMARY_LEGEND] : [],
		withCode ? [] : [all ? DETAILS_WITHOUT_CODE : WITHOUT_CODE],
	].flat();
	if (notes.length > 0) lines.push("", ...notes.flatMap((note) => wrapped(note, "", width)).map(paint.dim));
	return `${lines.join("\n")}\n`;
}

const SUMMARY_LEGEND = "% is the estimated chance that you want the edit. To list every candidate, pass --all.";
const LEGEND =
	"A candidate is an edit or a jump that Segue considered. ▸ was sent, ▹ is shown next, and % is the estimated chance that you want it.";
const WITHOUT_CODE = "To see names and code here, start the server with --with-code.";
const DETAILS_WITHOUT_CODE = "To see code, paths and model servers' messages, start the server with --with-code.";

/** A request on one line. */
interface RequestLine {
	readonly request: RequestRecord;
	readonly outcome: string;
	readonly summary: string;
}

/** Typing sends a request for each key, so consecutive requests with the same result are one line: that of the newest. */
function collapsed(requests: readonly RequestRecord[]): RequestLine[] {
	const lines: (RequestLine & { readonly since: string; readonly count: number })[] = [];
	for (const request of requests) {
		const [outcome, summary] = [outcomeOf(request), summaryOf(request, withoutId)];
		const last = lines.at(-1);
		if (last === undefined || last.outcome !== outcome || last.summary !== summary) {
			lines.push({ request, outcome, summary, since: timeOf(request.at), count: 1 });
		} else lines[lines.length - 1] = { ...last, request, count: last.count + 1 };
	}
	return lines.map(({ since, count, ...line }) => {
		if (count === 1) return line;
		const times = since === timeOf(line.request.at) ? `${count} times` : `${count} times since ${since}`;
		return { ...line, summary: `${line.summary} (${times})` };
	});
}

/** Prints the time, the outcome, and the edit or the reason for none. */
function printRequest(
	{ request, outcome, summary }: RequestLine,
	outcomeCells: number,
	paint: Paint,
	width: number,
): string[] {
	const time = timeOf(request.at);
	const [first = "", ...more] = hang(`  ${time}  ${pad(outcome, outcomeCells)}  `, summary, width);
	const colour = request.silence === undefined ? paint.green : paint.dim;
	const lines = [first.replace(time, paint.bold(time)).replace(outcome, colour(outcome)), ...more];
	return lines.map((line) => cutAtWord(line, width));
}

/** Describes in a word or two what became of a request's first suggestion. */
function outcomeOf({ silence, candidates }: RequestRecord): string {
	if (silence !== undefined) return "no suggestion";
	const verdict = candidates.find(({ offered }) => offered === 0)?.verdict;
	return verdict === undefined ? "sent" : (OUTCOMES[verdict] ?? sanitizeLine(verdict));
}

const OUTCOMES: Readonly<Record<string, string>> = {
	accepted: "accepted",
	partly: "partly accepted",
	typed: "typed",
	rejected: "dismissed",
	ignored: "ignored",
	replaced: "replaced",
	cancelled: "not shown",
	gone: "no outcome",
};

/**
 * Describes a request's first suggestion, or the reason for none and the candidate that came closest. `wordsFor` returns
 * the words for a reason.
 */
function summaryOf(
	{ silence, candidates, model, detail }: RequestRecord,
	wordsFor: (reason: string) => string,
): string {
	const first = candidates.find(({ offered }) => offered === 0);
	if (silence === undefined) {
		const others = candidates.filter(({ offered }) => offered !== undefined && offered > 0).length;
		const more = others === 0 ? "" : `, and ${others} more`;
		const notes = first?.verdict === undefined ? [] : (NOTES[first.verdict] ?? []);
		return [`${first === undefined ? "A suggestion" : described(first)}${more}.`, ...notes].join(" ");
	}
	const closest = silence === "below-threshold" ? candidates[0] : undefined;
	const words = detail ?? model?.words;
	const who = model === undefined ? "" : `${model.name}: `;
	return [
		`${capitalized(wordsFor(silence))}.`,
		...(closest === undefined ? [] : [`The likeliest: ${described(closest)}.`]),
		...(words === undefined ? [] : [sanitizeLine(`${who}${words}`)]),
	].join(" ");
}

const NOTES: Readonly<Record<string, readonly string[]>> = {
	cancelled: ["You went on before it could be shown."],
	replaced: ["A newer suggestion took its place."],
	gone: ["The editor did not say what you did with it."],
};

/** Describes a candidate and its chance, for example "Continues a rename (83 %)". */
function described(candidate: CandidateRecord): string {
	const { predictor, model, why, chance } = candidate;
	const words = why ?? (model === undefined ? reasonFor(candidate) : `Written by ${model}`) ?? kindName(predictor);
	return `${sanitizeLine(words.replace(/\.$/, ""))} (${percentage(chance)})`;
}

function capitalized(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Prints the facts of a request and its candidates. */
function printDetails(request: RequestRecord, paint: Paint, width: number): string[] {
	const { trigger, language, latencyMs, count, candidates, model, uri } = request;
	const counted = `${count || "no"} ${count === 1 ? "candidate" : "candidates"}`;
	const listed = count > candidates.length ? ", the most likely below" : "";
	const facts = [trigger === undefined ? [] : `${trigger} request`, language, `${figure(latencyMs)} ms`].flat();
	const failure = model?.failure === undefined ? [] : [`${model.name} (${model.failure})`];
	const lines = wrapped(sanitizeLine([...facts, ...failure, `${counted}${listed}`].join(", ")), "    ", width);
	if (uri !== undefined) lines.push(cutAtWord(`    ${sanitizeLine(uri)}`, width));
	return [...lines.map(paint.dim), ...candidates.flatMap((candidate) => printCandidate(candidate, paint, width))];
}

const CHANCE = "100 %".length;
// The widths of a candidate's mark and chance, and of its predictor or model.
const MARGIN = 11;
const LABEL = 17;
const NAME_MAX = 25;

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
	const who = pad(cutAtWord(sanitizeLine(model ?? kindName(predictor)), NAME_MAX), LABEL);
	const status = objection === undefined ? shownWords(offered, verdict) : `not shown: ${withId(objection)}`;
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
	if (verdict !== undefined) return OUTCOMES[verdict] ?? sanitizeLine(verdict);
	return offered === 0 ? "sent to the editor" : "shown next if the first is accepted";
}

/** Describes a reason. A log written by another version can contain unknown reasons, which have no words but their id. */
function withoutId(reason: string): string {
	return wordsOf(reason) ?? `unknown reason (${sanitizeLine(reason)})`;
}

/** Describes a reason, with its id in the protocol, which stories and scripts use. */
function withId(reason: string): string {
	const words = wordsOf(reason);
	return `${words === undefined ? "" : `${words} `}(${sanitizeLine(reason)})`;
}

function wordsOf(reason: string): string | undefined {
	if (!Object.hasOwn(NO_SUGGESTION_REASONS, reason)) return undefined;
	return NO_SUGGESTION_REASONS[reason as keyof typeof NO_SUGGESTION_REASONS];
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
