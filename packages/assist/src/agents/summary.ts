import { isCommandPrompt } from "../threads/slash-command.js";
import type { Entry } from "../threads/thread.js";
import { cutTo, truncateTail } from "../tools/truncate.js";

/** About 8,000 tokens. Keeps the end, because the last messages matter most. */
const SUMMARY_CHARS_MAX = 32_000;
const MESSAGE_CHARS_MAX = 4_000;

/** Returns the id of an agent's last session for a thread. */
export function sessionBefore(entries: readonly Entry[], agent: string): string | undefined {
	return sessionsOf(entries, agent).at(-1);
}

/** Returns the ids of all sessions that an agent has had for a thread. */
export function sessionsOf(entries: readonly Entry[], agent: string): readonly string[] {
	return entries.flatMap(({ body }) => (body.type === "agent" && body.agent === agent ? [body.session] : []));
}

/** Returns the cost of an agent's last session for a thread. */
export function costSoFar(entries: readonly Entry[], agent: string): number {
	const from = entries.findLastIndex(({ body }) => body.type === "agent" && body.agent === agent);
	const turns = new Set(
		entries.flatMap(({ turn, body }) => (body.type === "prompt" && body.model === agent ? [turn] : [])),
	);
	return entries.slice(from + 1).reduce((sum, { turn, body }) => {
		return body.type === "usage" && turns.has(turn) ? sum + (body.usage.costUsd ?? 0) : sum;
	}, 0);
}

/**
 * Returns a transcript of the part of a thread that an agent has not seen, to prepend to its next prompt; undefined if
 * the agent has seen everything. An agent that remembers its session has seen everything up to the last turn it
 * answered.
 */
export function summaryFor(entries: readonly Entry[], agent: string, remembers: boolean): string | undefined {
	const isPrompt = ({ body }: Entry) => body.type === "prompt" && body.model === agent;
	const lastTurn = remembers ? entries.findLast(isPrompt)?.turn : undefined;
	const from = lastTurn === undefined ? 0 : entries.findLastIndex(({ turn }) => turn === lastTurn) + 1;
	const commands = new Set(entries.filter(({ body }) => isCommandPrompt(body)).map(({ turn }) => turn));
	const lines = entries.slice(from).flatMap((entry) => (commands.has(entry.turn) ? [] : linesOf(entry)));
	if (lines.length === 0) return undefined;
	const recent = truncateTail(lines.join("\n\n"), SUMMARY_CHARS_MAX);
	return `Earlier messages in this conversation, which you have not seen:\n\n${recent}\n\nThe user continues:`;
}

function linesOf({ body }: Entry): string[] {
	switch (body.type) {
		case "prompt": {
			const parts = body.parts.map((part) => {
				if (part.type === "text") return part.text;
				return part.type === "file" ? `(${part.path})` : `(${part.type})`;
			});
			return [`User: ${cutTo(parts.join(" "), MESSAGE_CHARS_MAX)}`];
		}
		case "text":
			return body.text.trim() === "" ? [] : [`Assistant: ${cutTo(body.text.trim(), MESSAGE_CHARS_MAX)}`];
		case "link":
			return [`Assistant: [${body.name}](${body.uri})`];
		case "summary":
			return [body.text];
		case "call":
			return [`(${body.call.title}: ${body.call.status})`];
		default:
			return [];
	}
}
