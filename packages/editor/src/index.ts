export type { Clock } from "@segue/text";
export { type Files, Privacy } from "@segue/text/privacy";
export type { DocumentView } from "./document-view.js";
export { Editor, type EditorOptions } from "./editor.js";
export type {
	ChangeCause,
	DocumentDiagnostic,
	EditorFiles,
	EditorWorkspace,
	FileEdits,
	Host,
	NamedFile,
	Notice,
	SignInMethod,
	Snippet,
} from "./host.js";
export { type MatchWorker, serveMatches } from "./search/matcher.js";
export type { DisplayedSuggestion } from "./suggestions/display.js";
export type { EditorSuggestion } from "./suggestions/suggestion.js";
export { MemoryThreads } from "./threads/memory-threads.js";
export { ThreadsEditor } from "./threads/threads-editor.js";
export type { ReadRange, ThreadStore, ThreadsHost, VersionedContent } from "./threads/threads-host.js";
