import type { Channel, Receiver } from "./channel.js";
import { ErrorCode, RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";

/** What is needed of an open WebSocket: a browser's has it, and so has one of the package `ws`. */
export interface Socket {
	readonly bufferedAmount: number;
	send(data: string): void;
	close(): void;
	/** Only in `ws`. */
	terminate?(): void;
	addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
	addEventListener(type: "close" | "error", listener: () => void): void;
}

/**
 * One message a frame over an open WebSocket. A frame arrives whole, so what may be buffered is for the socket to bound:
 * `maxPayload` in `ws`, which closes the connection at a larger frame.
 */
export function overWebSocket(socket: Socket): Channel {
	return new WebSocketChannel(socket);
}

class WebSocketChannel implements Channel {
	private isClosed = false;

	constructor(private readonly socket: Socket) {}

	open(receiver: Receiver, messageBytesMax: number): void {
		this.socket.addEventListener("message", ({ data }) => {
			if (typeof data !== "string") {
				receiver.unreadable(new RpcError(ErrorCode.invalidRequest, "Invalid request: a message is a text frame"));
			} else if (isLonger(data, messageBytesMax)) receiver.unreadable(tooLarge(messageBytesMax));
			else receiver.message(data);
		});
		this.socket.addEventListener("error", () => receiver.closed("the WebSocket failed"));
		this.socket.addEventListener("close", () => {
			this.isClosed = true;
			receiver.closed("the other side closed the connection");
		});
	}

	send(text: string): void {
		this.socket.send(text);
	}

	get unwrittenBytes(): number {
		return this.socket.bufferedAmount;
	}

	close(done: () => void): void {
		if (this.isClosed) {
			done();
			return;
		}
		this.socket.addEventListener("close", done);
		this.socket.close();
	}

	// A browser cannot end a socket faster than this; one of `ws` can.
	drop(): void {
		if (this.socket.terminate) this.socket.terminate();
		else this.socket.close();
	}
}
