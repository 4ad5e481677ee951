import type * as vscode from "vscode";

// The values and events of the fake module `vscode`.

export class FakeUri {
	private constructor(private readonly text: string) {}

	static parse(text: string): FakeUri {
		return new FakeUri(text);
	}

	static joinPath(base: FakeUri, ...parts: string[]): FakeUri {
		return new FakeUri([base.text, ...parts].join("/"));
	}

	get scheme(): string {
		return this.text.slice(0, this.text.indexOf(":"));
	}

	get path(): string {
		return this.text.replace(/^[a-z-]+:(?:\/\/[^/]*)?/, "");
	}

	toString(): string {
		return this.text;
	}
}

export class FakePosition {
	constructor(
		readonly line: number,
		readonly character: number,
	) {}
}

export class FakeRange {
	constructor(
		readonly start: FakePosition,
		readonly end: FakePosition,
	) {}
}

export class FakeSelection extends FakeRange {
	constructor(
		readonly anchor: FakePosition,
		readonly active: FakePosition,
	) {
		super(anchor, active);
	}

	get isEmpty(): boolean {
		return this.anchor.line === this.active.line && this.anchor.character === this.active.character;
	}
}

/** An event that tests fire. */
export class FakeEvent<Value> {
	private readonly listeners = new Set<(value: Value) => unknown>();
	readonly on = (listener: (value: Value) => unknown) => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};

	clear(): void {
		this.listeners.clear();
	}

	fire(value: Value): void {
		for (const listener of [...this.listeners]) listener(value);
	}
}

export class FakeTextEdit {
	constructor(
		readonly range: FakeRange,
		readonly newText: string,
	) {}
}

export class FakeWorkspaceEdit {
	readonly edits: {
		readonly uri: FakeUri;
		readonly range: FakeRange;
		readonly insert: string;
		readonly needsConfirmation: boolean;
	}[] = [];
	/** Files to rename. Like in VS Code, neither `size` nor `entries` reveals them. */
	readonly fileRenames: { readonly from: FakeUri; readonly to: FakeUri }[] = [];

	renameFile(from: FakeUri, to: FakeUri): void {
		this.fileRenames.push({ from, to });
	}

	replace(uri: FakeUri, range: FakeRange, insert: string, metadata?: { readonly needsConfirmation: boolean }): void {
		this.edits.push({ uri, range, insert, needsConfirmation: metadata?.needsConfirmation ?? false });
	}

	get size(): number {
		return new Set(this.edits.map(({ uri }) => uri.toString())).size;
	}

	entries() {
		return this.edits.map(({ uri, range, insert }) => [uri, [new FakeTextEdit(range, insert)]] as const);
	}
}

export class Named {
	constructor(readonly name: string) {}
}

export class FakeItem {
	constructor(
		readonly insertText: string,
		readonly range: FakeRange,
		readonly command?: vscode.Command,
	) {}
}

export class FakePattern {
	constructor(
		readonly base: unknown,
		readonly pattern: string,
	) {}
}

export class FakeFileError extends Error {
	constructor(readonly code: string) {
		super(code);
	}
}

export const cellKinds = { Markup: 1, Code: 2 };
