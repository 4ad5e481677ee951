// What is said on the wire, and what is done about it: the same for every contender.

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

/** The change that makes a version: a character or a word typed somewhere. */
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

/** Asks what to do next in a version. */
export function suggestAt(version: number): Suggest {
	const position = { line: (version * 31) % 900, character: (version * 17) % 80 };
	return { sessionId: SESSION, uri: FILE, version, position, triggerKind: "automatic" };
}

/** Counts the changes, and answers a request when it has seen the version that it is about. */
export class CountingAgent {
	private version = 0;
	private readonly waiting: { version: number; answer: () => void }[] = [];

	/** Changes may come in another order than they were sent in, because one contender does not keep it. */
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
