// All ACP messages that Segue supports, in both directions.
export {
	activeDocument,
	createTerminal,
	killTerminal,
	openDocuments,
	readTextFile,
	recentDocuments,
	releaseTerminal,
	terminalOutput,
	waitForTerminalExit,
	writeTextFile,
} from "./client-methods.js";
export { didChange, didClose, didFocus, didOpen, didSave, heldDocuments } from "./document.js";
export { authenticate, initialize, logout } from "./initialize.js";
export { nesAccept, nesClose, nesReject, nesStart, nesSuggest } from "./nes.js";
export {
	cancel,
	closeSession,
	deleteSession,
	listSessions,
	loadSession,
	newSession,
	prompt,
	resumeSession,
	setConfigOption,
	setMode,
} from "./session.js";
export { requestPermission } from "./tool-call.js";
export { sessionUpdate } from "./update.js";
