import { Change, type Edit, type Text } from "@segue/text";

/** The lines that a change touches, before and after it. */
export interface LineRewrite {
	readonly change: Change;
	readonly oldLines: string;
	readonly newLines: string;
}

export function lineRewriteOf(edits: readonly Edit[], text: Text): LineRewrite {
	const change = Change.of(edits, text.length);
	const from = text.lineStart(text.lineAt(change.edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(change.edits.at(-1)?.to ?? 0));
	const oldLines = text.slice(from, to);
	let newLines = "";
	let done = 0; // offset in the old lines
	for (const edit of change.edits) {
		newLines += oldLines.slice(done, edit.from - from) + edit.insert;
		done = edit.to - from;
	}
	return { change, oldLines, newLines: newLines + oldLines.slice(done) };
}
