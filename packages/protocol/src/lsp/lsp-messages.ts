// All messages that `segue lsp` uses, in both directions: from LSP 3.18, Copilot's next edits, and Segue's extensions.
export { applyEdit, codeActions, executeCommand, inlayHints, refreshInlayHints } from "./code-action.js";
export {
	checkStatus,
	didChangeStatus,
	didPartiallyAcceptCompletion,
	didShowCompletion,
	didShowInlineEdit,
	getVersion,
	inlineCompletion,
	inlineEdits,
	setEditorInfo,
	signIn,
	signInConfirm,
	signInInitiate,
	signOut,
} from "./inline.js";
export {
	configuration,
	didChangeConfiguration,
	didChangeWatchedFiles,
	didChangeWorkspaceFolders,
	exit,
	initialize,
	initialized,
	logMessage,
	progress,
	registerCapability,
	setTrace,
	showDocument,
	showMessage,
	shutdown,
} from "./server-lifecycle.js";
export {
	didChange,
	didClose,
	didFocus,
	didOpen,
	didSave,
	forwardedDiagnostics,
	publishDiagnostics,
} from "./text-document.js";
