import type { Channel, Receiver } from "./channel.js";
import { ErrorCode, RpcError } from "./error.js";
import { tooLarge } from "./lines.js";

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

/** One message a frame over an open WebSocket. */
export function overWebSocket(socket: Socket): Channel {
	return new WebSocketChannel(socket);
}

class WebSocketChannel implements Channel {
	constructor(private readonly socket: Socket) {}

	open(receiver: Receiver, messageBytesMax: number): void {
		this.socket.addEventListener("message", ({ data }) => {
			if (typeof data !== "string") {
				receiver.unreadable(new RpcError(ErrorCode.invalidRequest, "Invalid request: a message is a text frame"));
			} else if (isLonger(data, messageBytesMax)) receiver.unreadable(tooLarge(messageBytesMax));
			else receiver.message(data);
		});
		this.socket.addEventListener("error", () => receiver.closed("the WebSocket failed"));
		this.socket.addEventListener("close", () => receiver.closed("the other side closed the connection"));
	}

	send(text: string): void {
		this.socket.send(text);
	}

	get unwrittenBytes(): number {
		return this.socket.bufferedAmount;
	}

	close(): void {
		this.socket.close();
	}

	// A browser cannot end a socket faster than this; one of `ws` can.
	drop(): void {
		if (this.socket.terminate) this.socket.terminate();
		else this.socket.close();
	}
}

/** Whether a text has more bytes than allowed, which only needs counting when it might. */
function isLonger(text: string, bytesMax: number): boolean {
	if (3 * text.length <= bytesMax) return false;
	return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}
