export { type Channel, memoryPair, type Receiver } from "./channel.js";
export { type CloseReason, Connection, type ConnectionOptions, type PeerRole, type Tap } from "./connection.js";
export { contentLength } from "./content-length.js";
export { ConnectionError, ErrorCode, PeerError, type Problem, RpcError } from "./error.js";
export type { Decoder, FrameSink, Framing } from "./framing.js";
export { LIMITS, type Limits } from "./limits.js";
export { lines } from "./lines.js";
export type { Dialect, Id } from "./message.js";
export { overMessagePort, type Port } from "./message-port.js";
export {
	type Call,
	type From,
	type Handler,
	type Notification,
	notification,
	on,
	type ParamsOf,
	type Request,
	type ResultOf,
	request,
	type Schema,
} from "./method.js";
export { Queue } from "./queue.js";
export { overWebSocket, type Socket } from "./websocket.js";
