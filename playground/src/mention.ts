import type { Edit } from "@segue/text";

const WORD = /[\p{L}\p{N}_$]+/gu;

/** The name that an offset is in, or at an end of. */
export function wordAt(text: string, offset: number): string | undefined {
	for (const { 0: word, index } of text.matchAll(WORD)) {
		if (index <= offset && offset <= index + word.length) return word;
	}
	return undefined;
}

/**
 * Edits that rename every mention of a name. There is no language server here, so a symbol is wherever its name is, and the
 * user unticks what is not meant.
 */
export function renameIn(text: string, oldName: string, newName: string): Edit[] {
	return [...text.matchAll(WORD)]
		.filter(({ 0: word }) => word === oldName)
		.map(({ index }) => ({ from: index, to: index + oldName.length, insert: newName }));
}
