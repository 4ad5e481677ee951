import type { Proposal } from "@segue/predict";
import { drawPicture } from "@segue/story";
import type { Document } from "@segue/text";

// More lines than this of one edit say no more.
const DRAWN_MAX = 8;

/** What is proposed and where: the lines that an edit touches, or what else is to be done. */
export function drawProposal(proposal: Proposal, { text }: Document, path: string): string[] {
	switch (proposal.kind) {
		case "edit": {
			const first = text.lineAt(Math.min(...proposal.edits.map(({ from }) => from)));
			const from = text.lineStart(first);
			const to = text.lineEnd(text.lineAt(Math.max(...proposal.edits.map((edit) => edit.to))));
			const edits = proposal.edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }));
			const picture = { before: text.slice(from, to), edits, selection: undefined, diagnostics: [] };
			const lines = drawPicture(picture).split("\n");
			const left = Math.min(
				...lines.filter((line) => line.trim() !== "").map((line) => /^[⇥ ]*/u.exec(line)?.[0].length ?? 0),
			);
			const shown = lines.slice(0, DRAWN_MAX).map((line) => line.slice(left));
			const rest = lines.length - shown.length;
			const place = `${path}:${first + 1}`;
			const all = rest > 0 ? [...shown, `… ${rest} more lines`] : shown;
			return all.length === 1 ? [`${place}  ${all[0]}`] : [place, ...all];
		}
		case "jump":
			return [`${path}:${text.lineAt(proposal.at) + 1}  jump to ${text.line(text.lineAt(proposal.at)).trim()}`];
		case "rename":
			return [`${path}  rename ${proposal.oldName} to ${proposal.newName}`];
		case "searchAndReplace":
			return [`${path}  replace ${proposal.search} by ${proposal.replace}`];
	}
}
