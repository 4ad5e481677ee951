import { useSignal } from "@preact/signals";
import * as acp from "@segue/protocol/acp";
import { diffLines, errorText, fileNameOf } from "@segue/text";
import type { Playground } from "../playground.js";

/** The agent's copies of the documents, next to the editor's. Lines that differ are highlighted. */
export function AgentDocuments({ playground }: { playground: Playground }) {
	const held = useSignal<readonly acp.HeldDocument[] | undefined>(undefined);
	const trouble = useSignal("");
	const compare = async () => {
		const connection = playground.link.connection.value;
		const { sessionId } = playground;
		if (connection === undefined || sessionId === undefined) return;
		try {
			// Edits are sent with the next request, so make one first.
			await playground.editor?.suggest();
			held.value = (await connection.request(acp.heldDocuments, { sessionId })).documents;
			trouble.value = "";
		} catch (error) {
			trouble.value = `The agent did not send its documents: ${errorText(error)}`;
		}
	};
	return (
		<section class="held" aria-label="Agent documents">
			<h2>
				Agent documents{" "}
				<button type="button" onClick={() => void compare()}>
					Compare
				</button>
			</h2>
			{trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
			{held.value?.length === 0 && (
				<p class="remark">The agent stores no documents. It receives their text with each request.</p>
			)}
			{held.value?.map((document) => (
				<Comparison key={document.uri} document={document} own={playground.bench.textOf(document.uri)} />
			))}
		</section>
	);
}

function Comparison({ document, own }: { document: acp.HeldDocument; own: string | undefined }) {
	const isSame = own === document.text;
	const { theirs, ours } = comparisonOf(document.text, own ?? "");
	return (
		<details open={!isSame} data-testid="held" data-same={isSame}>
			<summary>
				{fileNameOf(document.uri)}, version {document.version ?? "unknown"}:{" "}
				{document.isLost ? (
					<span class="trouble">lost</span>
				) : isSame ? (
					"identical"
				) : (
					<span class="trouble">{own === undefined ? "not open in the editor" : "differs"}</span>
				)}
			</summary>
			<div class="beside">
				<figure>
					<figcaption>Agent</figcaption>
					<Side stretches={theirs} />
				</figure>
				<figure>
					<figcaption>Editor</figcaption>
					<Side stretches={ours} />
				</figure>
			</div>
		</details>
	);
}

function Side({ stretches }: { stretches: readonly DiffSegment[] }) {
	return <pre>{stretches.map(({ text, isSame }, i) => (isSame ? text : <mark key={i}>{text}</mark>))}</pre>;
}

/** Consecutive lines in one of two documents. */
export interface DiffSegment {
	readonly text: string;
	/** Whether the other document also contains these lines. */
	readonly isSame: boolean;
}

/** Splits two documents into segments that both contain and segments that only one contains. */
export function comparisonOf(
	theirText: string,
	ourText: string,
): { readonly theirs: readonly DiffSegment[]; readonly ours: readonly DiffSegment[] } {
	const theirs: DiffSegment[] = [];
	const ours: DiffSegment[] = [];
	let at = 0;
	for (const { from, to, insert } of diffLines(theirText, ourText)) {
		const same = { text: theirText.slice(at, from), isSame: true };
		theirs.push(same, { text: theirText.slice(from, to), isSame: false });
		ours.push(same, { text: insert, isSame: false });
		at = to;
	}
	const rest = { text: theirText.slice(at), isSame: true };
	return { theirs: withText([...theirs, rest]), ours: withText([...ours, rest]) };
}

function withText(stretches: readonly DiffSegment[]): readonly DiffSegment[] {
	return stretches.filter(({ text }) => text !== "");
}
