/** Indexes folders on disk, for suggestions in files that are not open. Not available in browsers. */
export interface FolderSource {
	/**
	 * Starts indexing folders. Sessions with the same folder share an index, which is disposed of with the last
	 * session.
	 */
	acquire(folders: readonly { readonly uri: string }[]): FolderFiles;
}

/** The indexed files of one session's folders. */
export interface FolderFiles {
	readonly state: FolderState;
	/** Finds and reads the files that contain these words. Never rejects; after a timeout the result is incomplete. */
	find(question: FileQuery): Promise<FileQueryResult>;
	/** Must be called when files have been saved, created or deleted. */
	changed(uris: readonly string[]): void;
	/** Pauses indexing during a request. The returned function resumes it. */
	pause(): () => void;
	release(): void;
}

export interface FolderState {
	/** The number of indexed files. */
	readonly files: number;
	/** Whether every readable file in the folders is indexed. */
	readonly isComplete: boolean;
}

/** A search for files that contain certain words. */
export interface FileQuery {
	/** Hashes of the words to search for. */
	readonly hashes: readonly number[];
	/** If many files contain a word, those closest to this file are returned. */
	readonly near: string;
	/** URIs of additional files to read. */
	readonly uris: readonly string[];
	/** The stamps of the file contents that the caller already has, by URI. */
	readonly known: ReadonlyMap<string, string>;
	/** The URIs of files that are open in the editor. These are skipped. */
	readonly open: ReadonlySet<string>;
}

export interface FileQueryResult {
	readonly words: readonly FilesWithWord[];
	/** All requested and found files, with their current content. Unreadable files are omitted. */
	readonly files: readonly FoundFile[];
	/** The URIs from `FileQuery.uris` that do not exist on disk. */
	readonly missing: readonly string[];
}

export interface FilesWithWord {
	readonly hash: number;
	/** May include a few files without the word, because of hash collisions. */
	readonly uris: readonly string[];
	/** Whether these are all files in the folders that contain the word. */
	readonly isAll: boolean;
}

export interface FoundFile {
	readonly uri: string;
	/** Changes when the file is written. */
	readonly stamp: string;
	/** Undefined if the caller already has the content with this stamp. */
	readonly text: string | undefined;
}
