import { diffItems } from "@segue/text";
import { comparable, isObject } from "./id-map.js";
import type { PlaybackResult, ReplayedMessage } from "./playback.js";
import { type ExpectedMessage, type JsonRpcBody, messageKindOf, type Recording, sessionIdOf } from "./recording.js";

/** One difference between a recording and its replay. */
export interface ReplayDifference {
	readonly kind: "answer" | "missing" | "late" | "order" | "unexpected" | "request" | "notification" | "end";
	/** The message that differs: an editor's request with its id, or an agent's message with its session. */
	readonly about: string;
	/** A short description for users. */
	readonly text: string;
	/** The path of the first differing value, and both values. Absent if only one side has the message. */
	readonly at?: string;
	readonly recorded?: unknown;
	readonly present?: unknown;
}

/** All differences between a recording and its replay. */
export function differencesOf(recording: Recording, played: PlaybackResult): ReplayDifference[] {
	const expected = [...recording.steps, recording.rest].flatMap((step) => step.after);
	const receivedFor = new Map(
		played.received.flatMap((received) => (received.expected ? [[received.expected, received] as const] : [])),
	);
	const compare = (each: ExpectedMessage, received: ReplayedMessage, members: readonly string[]) =>
		changeBetween(partOf(played.ids.inPresent(each.body), members), partOf(received.body, members));
	const differences: ReplayDifference[] = [];

	for (const each of expected) {
		if (each.kind === "notification") continue;
		const received = receivedFor.get(each);
		const isAnswer = each.kind === "answer";
		const about = isAnswer ? labelOf(each) : agentRequest(each.method, each.body);
		if (received === undefined) {
			differences.push({ kind: "missing", about, text: isAnswer ? "no response" : "is missing" });
			continue;
		}
		if (received.isLate) differences.push({ kind: "late", about, text: "arrived after the timeout" });
		const change = compare(each, received, isAnswer ? ["result", "error"] : ["params"]);
		if (change !== undefined) differences.push({ kind: isAnswer ? "answer" : "request", about, ...change });
	}
	return [
		...differences,
		...disorder(expected, played.received),
		...unexpected(recording, played.received),
		...notifications(expected, played),
		...(played.ended === undefined ? [] : [{ kind: "end", about: "agent", text: played.ended } as const]),
	];
}

/** Responses that arrived in a different order than recorded. */
function disorder(expected: readonly ExpectedMessage[], received: readonly ReplayedMessage[]): ReplayDifference[] {
	const answers = expected.filter(({ kind }) => kind === "answer");
	const placeOf = new Map(answers.map((each, place) => [each, place]));
	const differences: ReplayDifference[] = [];
	let last = -1;
	for (const { expected: each } of received) {
		const place = each === undefined ? undefined : placeOf.get(each);
		if (each === undefined || place === undefined) continue;
		if (place > last) last = place;
		else {
			const text = `the response arrived after the one to ${labelOf(answers[last] as ExpectedMessage)}`;
			differences.push({ kind: "order", about: labelOf(each), text });
		}
	}
	return differences;
}

/**
 * Requests and responses that were not recorded, except responses to requests that were pending when the recording
 * ended.
 */
function unexpected({ steps }: Recording, received: readonly ReplayedMessage[]): ReplayDifference[] {
	const requested = new Set(steps.flatMap(({ kind, body }) => (kind === "request" ? [body["id"]] : [])));
	return received.flatMap(({ body, expected }): ReplayDifference[] => {
		const kind = messageKindOf(body);
		if (expected !== undefined || kind === "notification") return [];
		if (kind === "request") {
			return [{ kind: "unexpected", about: agentRequest(String(body["method"]), body), text: "was not recorded" }];
		}
		if (kind === "answer" && requested.has(body["id"])) return [];
		return [{ kind: "unexpected", about: `#${JSON.stringify(body["id"])}`, text: "response without a request" }];
	});
}

/**
 * Compares the notifications of each session in order. Reports recorded session ids, so that users can find them in the
 * trace.
 */
function notifications(expected: readonly ExpectedMessage[], { received, ids }: PlaybackResult): ReplayDifference[] {
	const recorded = expected.filter(({ kind }) => kind === "notification").map(({ body }) => body);
	const present = (body: JsonRpcBody) => ids.inPresent(body);
	const names = new Map(recorded.map((body) => [sessionIdOf(present(body)), sessionIdOf(body)]));
	const then = bySession(recorded.map(present));
	const now = bySession(received.map(({ body }) => body).filter((body) => messageKindOf(body) === "notification"));
	return [...new Set([...then.keys(), ...now.keys()])].flatMap((session) =>
		sequence(names.get(session) ?? session, then.get(session) ?? [], now.get(session) ?? []),
	);
}

function sequence(session: string, then: readonly JsonRpcBody[], now: readonly JsonRpcBody[]): ReplayDifference[] {
	const linesOf = (bodies: readonly JsonRpcBody[]) =>
		bodies.map((body) => JSON.stringify(comparable(partOf(body, COMPARED))));
	const differences: ReplayDifference[] = [];
	for (const { from, to, newFrom, newTo } of diffItems(linesOf(then), linesOf(now))) {
		for (let i = 0; i < Math.max(to - from, newTo - newFrom); i++) {
			const [old, present] = [
				from + i < to ? then[from + i] : undefined,
				newFrom + i < newTo ? now[newFrom + i] : undefined,
			];
			const place = old === undefined ? newFrom + i : from + i;
			const about = `${session === "" ? "" : `session ${session}, `}notification ${place + 1}`;
			const change = old && present && changeBetween(partOf(old, COMPARED), partOf(present, COMPARED));
			if (change) differences.push({ kind: "notification", about: `${about} ${old["method"]}`, ...change });
			else if (old) differences.push({ kind: "missing", about: `${about} ${nameOf(old)}`, text: "is missing" });
			else if (present) {
				differences.push({ kind: "unexpected", about: `${about} ${nameOf(present)}`, text: "was not recorded" });
			}
		}
	}
	return differences;
}

const COMPARED = ["method", "params"];

function bySession(bodies: readonly JsonRpcBody[]): Map<string, JsonRpcBody[]> {
	const sessions = new Map<string, JsonRpcBody[]>();
	for (const body of bodies) {
		const session = sessionIdOf(body);
		const known = sessions.get(session);
		if (known === undefined) sessions.set(session, [body]);
		else known.push(body);
	}
	return sessions;
}

function labelOf({ id, method }: ExpectedMessage): string {
	return `#${JSON.stringify(id)} ${method}`;
}

function agentRequest(method: string, body: JsonRpcBody): string {
	const session = sessionIdOf(body);
	return session === "" ? `agent request ${method}` : `agent request ${method} in session ${session}`;
}

/** The method, followed by the kind if the message is a session update. */
function nameOf({ method, params }: JsonRpcBody): string {
	const update = isObject(params) && isObject(params["update"]) ? params["update"]["sessionUpdate"] : undefined;
	return update === undefined ? String(method) : `${method} ${update}`;
}

function partOf(body: JsonRpcBody, members: readonly string[]): JsonRpcBody {
	return Object.fromEntries(members.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
}

/** The first difference between two messages, ignoring ids and times. */
function changeBetween(
	recorded: JsonRpcBody,
	present: JsonRpcBody,
): Pick<ReplayDifference, "text" | "at" | "recorded" | "present"> | undefined {
	const place = firstChange(comparable(recorded), comparable(present), "");
	if (place === undefined) return undefined;
	const { at, then, now } = place;
	return { at, text: `${at} is ${short(now)}, was ${short(then)}`, recorded: then ?? null, present: now ?? null };
}

function firstChange(then: unknown, now: unknown, at: string): { at: string; then: unknown; now: unknown } | undefined {
	if (Array.isArray(then) && Array.isArray(now)) {
		for (let i = 0; i < Math.max(then.length, now.length); i++) {
			const change = firstChange(then[i], now[i], `${at}[${i}]`);
			if (change !== undefined) return change;
		}
		return undefined;
	}
	if (isObject(then) && isObject(now)) {
		for (const name of new Set([...Object.keys(then), ...Object.keys(now)])) {
			const change = firstChange(then[name], now[name], at === "" ? name : `${at}.${name}`);
			if (change !== undefined) return change;
		}
		return undefined;
	}
	return Object.is(then, now) ? undefined : { at, then, now };
}

// Two values of this length fit on one line with their path.
const SHORT_LENGTH = 60;

function short(value: unknown): string {
	if (value === undefined) return "missing";
	const text = JSON.stringify(value);
	return text.length <= SHORT_LENGTH ? text : `${text.slice(0, SHORT_LENGTH)}…`;
}
