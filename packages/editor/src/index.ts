export { type Files, Privacy } from "@segue/text/privacy";
export { Editor, type EditorOptions } from "./editor.js";
export type {
	Cause,
	Clock,
	Diagnostic,
	FileEdits,
	Host,
	NamedFile,
	Note,
	SignInMethod,
	Snippet,
	State,
	View,
	Workspace,
} from "./host.js";
export { type MatchWorker, serveMatches } from "./match.js";
export type { Shown } from "./shown.js";
export type { Suggestion } from "./suggestion.js";
export type { KeptThreads, Range, Read, ThreadsHost } from "./threads/host.js";
export { MemoryThreads } from "./threads/memory-threads.js";
export { ThreadsEditor } from "./threads/threads-editor.js";
