export { type AcpOptions, type AcpSync, type Authentication, serveAcp } from "./acp/acp-server.js";
export { withChat } from "./acp/chat/acp-chat-server.js";
export { EditorState, EditorStateError, type EditorStateQuery } from "./acp/editor-state.js";
export type { EcaBackend, EcaEngine } from "./eca/backend.js";
export { type EcaOptions, serveEca } from "./eca/eca-server.js";
export type { EcaVersion } from "./eca/encoding/eca-version.js";
export { type ServedThreads, serveThreads, type ThreadsOptions } from "./threads/threads-server.js";
