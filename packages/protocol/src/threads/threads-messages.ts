// Every message of the thread draft. Either side sends any of them.
export {
	createThread,
	getThreadEntries,
	getThreads,
	globSearch,
	openThread,
	readBinaryFile,
	readTextFile,
	sendMessage,
	stat,
	streamMessageChunk,
} from "./thread.js";
