/** The files of folders on disk, for sessions that may go to files which are not open. A browser has none. */
export interface FolderSource {
	/** Begins to index folders. Sessions with the same folder share one index, which ends with the last of them. */
	acquire(folders: readonly { readonly uri: string }[]): FolderFiles;
}

/** The indexed files of one session's folders. */
export interface FolderFiles {
	readonly state: FolderState;
	/** Finds and reads the files that have some words. Never rejects; what takes too long is not found. */
	find(question: FileQuery): Promise<FileQueryResult>;
	/** Files were saved, created or deleted. */
	changed(uris: readonly string[]): void;
	/** A request begins, and indexing pauses until the returned function is called. */
	pause(): () => void;
	release(): void;
}

export interface FolderState {
	/** How many files are indexed. */
	readonly files: number;
	/** Every file of the folders that may be read is indexed. */
	readonly isComplete: boolean;
}

/** A search for files by their words. */
export interface FileQuery {
	/** The hashes of words. */
	readonly hashes: readonly number[];
	/** A file: of many with a word, those nearest to it are found. */
	readonly near: string;
	/** Files that are read as well, whatever words they have. */
	readonly uris: readonly string[];
	/** By uri, the stamps of the texts that the asker has. */
	readonly known: ReadonlyMap<string, string>;
	/** The uris of files that are open in the editor, which are not looked at. */
	readonly open: ReadonlySet<string>;
}

export interface FileQueryResult {
	readonly words: readonly FilesWithWord[];
	/** All files that were asked for or found, as they are on disk now. Those that may not be read are missing. */
	readonly files: readonly FoundFile[];
	/** The uris of `FileQuery.uris` that do not exist on disk. */
	readonly missing: readonly string[];
}

export interface FilesWithWord {
	readonly hash: number;
	/** Their uris; a few may not have the word. */
	readonly uris: readonly string[];
	/** They are all that the folders have. */
	readonly isAll: boolean;
}

export interface FoundFile {
	readonly uri: string;
	/** Differs for a file that was written since. */
	readonly stamp: string;
	/** Undefined where the stamp is the one that the asker has. */
	readonly text: string | undefined;
}
