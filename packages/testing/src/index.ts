export { acpDialect } from "@segue/protocol/acp";
export { AcpPlayer } from "./acp-player.js";
export { someChange, someEdits, someLongText, someText } from "./arbitrary.js";
export { FakeClock } from "./clock.js";
export { type DocumentEvent, FakeEditor } from "./editor.js";
export { connectByHand, connectPeers, gate, recordTap, settled } from "./peers.js";
export { storiesOn } from "./stories.js";
export { type Line, playTalk, readTalk } from "./talk.js";
