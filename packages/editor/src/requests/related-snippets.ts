import type { Clock, Document } from "@segue/text";
import type { Session } from "../connection/agent-connection.js";
import type { Host, Notice, Snippet } from "../host.js";

// A slow language server must not delay a suggestion longer than this.
const FINDING_MS_MAX = 100;

// More definitions and callers than a model can use.
const SNIPPETS_MAX = 32;

// The protocol's line numbers have 32 bits.
const LINES_MAX = 2 ** 32;

interface RelatedOptions {
	readonly host: Pick<Host, "relatedSnippets">;
	readonly clock: Clock;
	/** The document to get suggestions for. */
	readonly current: Document;
	readonly cursor: number;
	/** Whether a file is private. A promise is awaited, subject to the same time limit. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	report(note: Notice): void;
}

/**
 * Gets code related to the cursor from the host. Undefined if the agent does not want it or the host does not support
 * it. On an error or a timeout, resolves to an empty list, so that the request is sent without it.
 */
export function findRelatedSnippets(
	{ capabilities }: Session,
	options: RelatedOptions,
	signal: AbortSignal,
): Promise<readonly Snippet[]> | undefined {
	const { host, clock, current, cursor } = options;
	if (!capabilities.context?.relatedSnippets || host.relatedSnippets === undefined || signal.aborted) return undefined;
	const controller = new AbortController();
	const find = async () => {
		const found = (await host.relatedSnippets?.(current, cursor, controller.signal)) ?? [];
		const snippets = found.filter(hasValidLines).slice(0, SNIPPETS_MAX);
		const arePrivate = await Promise.all(snippets.map(({ uri }) => options.isPrivate(uri)));
		return snippets.filter((_, i) => !arePrivate[i]);
	};
	return new Promise((resolve) => {
		const end = (found: readonly Snippet[]) => {
			callOff();
			signal.removeEventListener("abort", giveUp);
			resolve(found);
		};
		const giveUp = () => {
			end([]);
			controller.abort();
		};
		const callOff = clock.after(FINDING_MS_MAX, giveUp);
		signal.addEventListener("abort", giveUp);
		find().then(end, (error: unknown) => {
			if (!controller.signal.aborted) options.report({ kind: "failed", text: `relatedSnippets: ${error}` });
			end([]);
		});
	});
}

/** Whether the line numbers are valid. Invalid ones would fail the whole request. */
function hasValidLines({ firstLine, lastLine }: Snippet): boolean {
	return (
		Number.isInteger(firstLine) &&
		Number.isInteger(lastLine) &&
		0 <= firstLine &&
		firstLine <= lastLine &&
		lastLine < LINES_MAX
	);
}
