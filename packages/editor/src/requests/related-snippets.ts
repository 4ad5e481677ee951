import type { Clock, Document } from "@segue/text";
import type { Session } from "../connection/agent-connection.js";
import type { Host, Notice, Snippet } from "../host.js";

// A suggestion that comes this much later is still in time; one that waits for a slow language server is not.
const FINDING_MS_MAX = 100;

// More definitions and callers than a model can make use of.
const SNIPPETS_MAX = 32;

// The wire counts lines in 32 bits.
const LINES_MAX = 2 ** 32;

interface RelatedOptions {
	readonly host: Pick<Host, "relatedSnippets">;
	readonly clock: Clock;
	/** The document that suggestions are wanted for. */
	readonly current: Document;
	readonly cursor: number;
	/** Waited for, in the same time. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	report(note: Notice): void;
}

/**
 * Asks the host for other places that matter for this one. Undefined where the agent does not want them or the host cannot
 * find any. Whatever goes wrong or takes too long, the request goes on without them.
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
		const snippets = found.filter(isOfLines).slice(0, SNIPPETS_MAX);
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

/** What a plugin gets wrong here would cost the whole request. */
function isOfLines({ firstLine, lastLine }: Snippet): boolean {
	return (
		Number.isInteger(firstLine) &&
		Number.isInteger(lastLine) &&
		0 <= firstLine &&
		firstLine <= lastLine &&
		lastLine < LINES_MAX
	);
}
