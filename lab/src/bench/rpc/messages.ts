// The messages and the agent's behaviour, shared by all contenders.

export const DID_CHANGE = "document/didChange";
export const SUGGEST = "nes/suggest";

interface Position {
	line: number;
	character: number;
}

interface Range {
	start: Position;
	end: Position;
}

export interface DidChange {
	sessionId: string;
	uri: string;
	version: number;
	contentChanges: { range: Range; text: string }[];
}

export interface Suggest {
	sessionId: string;
	uri: string;
	version: number;
	position: Position;
	triggerKind: "automatic" | "diagnostic" | "manual";
}

export interface SuggestResult {
	suggestions: {
		id: string;
		kind: "edit";
		uri: string;
		edits: { range: Range; newText: string }[];
		cursorPosition: Position;
	}[];
}

const SESSION = "sess_5f0c1d9ae2b84c7e";
const FILE = "file:///home/someone/projects/segue/packages/server/src/session.ts";

/** Returns the change that leads to a version: a character or some code inserted at some position. */
export function didChangeTo(version: number): DidChange {
	const place = { line: (version * 31) % 900, character: (version * 17) % 80 };
	const text = version % 8 === 0 ? "const next = items[index + 1];\n\t" : "x";
	return {
		sessionId: SESSION,
		uri: FILE,
		version,
		contentChanges: [{ range: { start: place, end: { ...place } }, text }],
	};
}

/** Returns a suggestion request for a version. */
export function suggestAt(version: number): Suggest {
	const position = { line: (version * 31) % 900, character: (version * 17) % 80 };
	return { sessionId: SESSION, uri: FILE, version, position, triggerKind: "automatic" };
}

/** Counts changes, and answers a request once it has received the requested version. */
export class CountingAgent {
	private version = 0;
	private readonly waiting: { version: number; answer: () => void }[] = [];

	/** Changes may arrive out of order, because one of the contenders does not preserve the order. */
	didChange(params: DidChange): undefined {
		if (params.contentChanges.length !== 1) throw new Error("a change was lost");
		this.version++;
		while (this.waiting[0] !== undefined && this.waiting[0].version <= this.version) this.waiting.shift()?.answer();
	}

	suggest(params: Suggest): SuggestResult | Promise<SuggestResult> {
		if (params.version <= this.version) return suggestionsFor(params);
		return new Promise((resolve) => {
			this.waiting.push({ version: params.version, answer: () => resolve(suggestionsFor(params)) });
		});
	}
}

function suggestionsFor({ uri, version, position }: Suggest): SuggestResult {
	const cursorPosition = { line: position.line, character: position.character + 5 };
	const edits = [{ range: { start: position, end: position }, newText: "count" }];
	return { suggestions: [{ id: `suggestion-${version}`, kind: "edit", uri, edits, cursorPosition }] };
}
