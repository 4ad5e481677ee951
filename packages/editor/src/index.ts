export type { Clock } from "@segue/text";
export { type Files, Privacy } from "@segue/text/privacy";
export { EDITOR_VERSION, serverAgent, type WorkerAgentOptions, workerAgent } from "./connection/web-agent.js";
export { type DocumentView, PAGE_TEXT_MAX } from "./document-view.js";
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
export { noticeSentence, type ReasonSentences } from "./notice-sentence.js";
export { type MatchWorker, serveMatches } from "./search/matcher.js";
export type { DisplayedSuggestion } from "./suggestions/display.js";
export type { EditorSuggestion } from "./suggestions/suggestion.js";
export { type LineSource, tabIndents } from "./suggestions/tab-key.js";
export { MemoryThreads } from "./threads/memory-threads.js";
export { ThreadsEditor } from "./threads/threads-editor.js";
export type { ReadRange, ThreadStore, ThreadsHost, VersionedContent } from "./threads/threads-host.js";
