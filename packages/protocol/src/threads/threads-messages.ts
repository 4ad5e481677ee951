// All messages of the thread draft. Either side can send any of them.
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
