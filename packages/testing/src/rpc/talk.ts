import type { Channel } from "@segue/rpc";
import { settled } from "./peers.js";

// A talk is a script of the messages between an editor and an agent:
//
//     // Comments are separate lines.
//     session_abc123 stands for nes_1
//
//     editor → agent  nes/start #1 {}
//     agent → editor  result #1 { "sessionId": "session_abc123", … }
//     editor → agent  document/didClose { "sessionId": "session_abc123", "uri": "file:///a" }
//
// A message with #id is a request; a message without it is a notification. Its JSON may span several lines. In a
// received message, … matches any value or, at the end of an object or array, any further content. "A stands for B"
// translates a name in both directions, so a talk can use the ids of a specification.

type Speaker = "editor" | "agent";

/** One message in a talk. */
export interface TalkLine {
	/** The number of the message's first line in the source, from 1. */
	readonly number: number;
	readonly speaker: Speaker;
	/** A method, `result` or `error`. */
	readonly what: string;
	readonly id: string | number | undefined;
	/** Params, result or error, with `ANY` or `REST` for each … in the source. */
	readonly value: unknown;
	readonly source: string;
}

interface Talk {
	readonly lines: readonly TalkLine[];
	/** Names in the talk, and the values they stand for on the wire. */
	readonly names: ReadonlyMap<string, string>;
}

/** Thrown if a talk is invalid or was not followed. */
class TalkError extends Error {
	override readonly name = "TalkError";

	constructor(line: number, message: string) {
		super(`line ${line}: ${message}`);
	}
}

/** Matches any value. As the last item in an array, matches any number of items. */
const ANY = "\u{E000}any";
/** The key of a member that matches all remaining members of its object. */
const REST = "\u{E000}rest";

export function readTalk(source: string): Talk {
	const names = new Map<string, string>();
	const messages: { number: number; text: string }[] = [];
	for (const [index, text] of source.split("\n").entries()) {
		const isComment = text.trim() === "" || text.trimStart().startsWith("//");
		const naming = /^(\S+) stands for (\S+)\s*$/.exec(text);
		if (isComment) continue;
		if (naming !== null) names.set(naming[1] as string, naming[2] as string);
		else if (/^\S+ → /.test(text)) messages.push({ number: index + 1, text });
		else {
			const last = messages.at(-1);
			if (last === undefined) throw new TalkError(index + 1, "expected a speaker: editor → agent, or agent → editor");
			last.text += `\n${text}`;
		}
	}
	return { lines: messages.map(({ number, text }) => readLine(number, text.trimEnd())), names };
}

function readLine(number: number, source: string): TalkLine {
	const read = /^(editor → agent|agent → editor)\s+(\S+)(?:\s+#(\S+))?\s*(.*)$/s.exec(source);
	if (read === null) throw new TalkError(number, `not a message: ${source}`);
	const [, direction = "", what = "", id, json = ""] = read;
	if (id === undefined && isAnswer(what)) throw new TalkError(number, `a ${what} needs the #id of its request`);
	return {
		number,
		speaker: direction.startsWith("editor") ? "editor" : "agent",
		what,
		id: id !== undefined && /^\d+$/.test(id) ? Number(id) : id,
		value: json === "" ? undefined : readPattern(number, json),
		source,
	};
}

function isAnswer(what: string): what is "result" | "error" {
	return what === "result" || what === "error";
}

/** Reads JSON that may contain …. The characters around … determine whether it is a value or a member. */
function readPattern(number: number, json: string): unknown {
	const plain = json.replace(/"(?:[^"\\]|\\.)*"|…/g, (token, at: number) => {
		if (token !== "…") return token;
		const isMember = /[{,]\s*$/.test(json.slice(0, at)) && /^\s*\}/.test(json.slice(at + 1));
		return isMember ? `${JSON.stringify(REST)}: null` : JSON.stringify(ANY);
	});
	try {
		return JSON.parse(plain);
	} catch (error) {
		throw new TalkError(number, `not JSON: ${(error as Error).message}`);
	}
}

/**
 * Sends one side's lines over an in-memory channel and checks that the other side sends exactly its own lines, in
 * order. Consecutive lines from one side are sent together. Throws a TalkError with the line and the message received
 * instead. Set `isPatient` if the other side does I/O before it answers.
 */
export async function playTalk(
	source: string,
	channel: Channel,
	as: Speaker = "editor",
	isPatient = false,
): Promise<void> {
	const { lines, names } = readTalk(source);
	const received: Message[] = [];
	let arrived = () => {};
	channel.open(
		{
			message: (text) => {
				received.push(translate(JSON.parse(text), invert(names)) as Message);
				arrived();
			},
			unreadable: () => {},
			closed: () => {},
		},
		Number.POSITIVE_INFINITY,
	);
	/** The ids of the other side's requests, by their ids in the talk. */
	const ids = new Map<TalkLine["id"], unknown>();
	const other = as === "editor" ? "agent" : "editor";
	const expectNothing = ({ number }: Pick<TalkLine, "number">) => {
		const [more] = received;
		if (more !== undefined) throw new TalkError(number, `unexpected message before this line:\n${draw(more, other)}`);
	};

	let before: TalkLine | undefined;
	for (const line of lines) {
		if (line.speaker !== before?.speaker) {
			await settled();
			if (line.speaker === as) expectNothing(line);
		}
		before = line;
		if (line.speaker === as) {
			channel.send(JSON.stringify(translate(messageOf(line, ids.get(line.id) ?? line.id), names)));
			continue;
		}
		if (isPatient && received.length === 0) {
			await new Promise<void>((resolve) => {
				arrived = resolve;
			});
		}
		const message = received.shift();
		if (message === undefined) throw new TalkError(line.number, `expected\n${line.source}\nbut received nothing`);
		if (!isAnswer(line.what)) ids.set(line.id, message.id);
		if (!matches(messageOf(line, isAnswer(line.what) ? line.id : message.id), message)) {
			throw new TalkError(line.number, `expected\n${line.source}\nbut received\n${draw(message, other)}`);
		}
		if (line.id === undefined && message.id !== undefined) {
			throw new TalkError(line.number, `expected a notification but received a request\n${draw(message, other)}`);
		}
	}
	await settled();
	expectNothing({ number: (before?.number ?? 0) + 1 });
}

interface Message {
	readonly id?: unknown;
	readonly method?: string;
	readonly params?: unknown;
	readonly result?: unknown;
	readonly error?: unknown;
}

function messageOf({ what, value }: TalkLine, id: unknown): Message {
	const content = isAnswer(what) ? { [what]: value } : { method: what, params: value };
	const message = { jsonrpc: "2.0", ...(id !== undefined && { id }), ...content };
	return Object.fromEntries(Object.entries(message).filter(([, member]) => member !== undefined));
}

/** Formats a message as a line in a talk. */
function draw({ id, method, params, result, error }: Message, speaker: Speaker): string {
	const direction = speaker === "editor" ? "editor → agent" : "agent → editor";
	const what = method ?? (error === undefined ? "result" : "error");
	const value = JSON.stringify(params ?? error ?? result) ?? "";
	return `${direction}  ${what}${id === undefined ? "" : ` #${id}`} ${value}`.trimEnd();
}

/** Whether a value matches a pattern. */
function matches(pattern: unknown, value: unknown): boolean {
	if (pattern === ANY) return true;
	if (Array.isArray(pattern)) {
		if (!Array.isArray(value)) return false;
		const isOpen = pattern.at(-1) === ANY;
		const items = isOpen ? pattern.slice(0, -1) : pattern;
		const isLong = isOpen ? value.length >= items.length : value.length === items.length;
		return isLong && items.every((item, index) => matches(item, value[index]));
	}
	if (typeof pattern !== "object" || pattern === null) return pattern === value;
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const { [REST]: rest, ...members } = pattern as Record<string, unknown>;
	const isOpen = rest !== undefined;
	const isWhole = isOpen || Object.keys(value).every((key) => Object.hasOwn(members, key));
	return isWhole && Object.entries(members).every(([key, member]) => hasMember(value, key, member));
}

function hasMember(value: object, key: string, pattern: unknown): boolean {
	return Object.hasOwn(value, key) && matches(pattern, (value as Record<string, unknown>)[key]);
}

/** Replaces every string in a value that is a name in the talk. */
function translate(value: unknown, names: ReadonlyMap<string, string>): unknown {
	if (typeof value === "string") return names.get(value) ?? value;
	if (Array.isArray(value)) return value.map((item) => translate(item, names));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, translate(member, names)]));
}

function invert(names: ReadonlyMap<string, string>): Map<string, string> {
	return new Map([...names].map(([name, actual]) => [actual, name]));
}
