import type { Channel, Receiver } from "./channel.js";
import { isLonger, tooLarge } from "./framing.js";

/** One end of a browser's or Node's `MessageChannel`. */
export interface Port {
	postMessage(data: unknown): void;
	addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
	/** Starts delivery. Until this is called, messages are queued in the port. */
	start(): void;
	close(): void;
}

/**
 * A channel over a message port. A port reports neither how much the peer has read nor that it is gone, so the two ends
 * exchange this information: a string is a message, a number is the number of message characters read, and null is the
 * end.
 */
export function overMessagePort(port: Port): Channel {
	return new PortChannel(port);
}

class PortChannel implements Channel {
	unwrittenBytes = 0;
	private isClosed = false;

	constructor(private readonly port: Port) {}

	open(receiver: Receiver, messageBytesMax: number): void {
		this.port.addEventListener("message", ({ data }) => {
			if (this.isClosed) return;
			if (typeof data === "number") {
				if (data > 0 && data <= this.unwrittenBytes) this.unwrittenBytes -= data;
			} else if (typeof data === "string") {
				this.port.postMessage(data.length);
				if (isLonger(data, messageBytesMax)) receiver.unreadable(tooLarge(messageBytesMax));
				else receiver.message(data);
			} else if (data === null) {
				this.isClosed = true;
				this.port.close();
				receiver.closed("the other side closed the connection");
			}
		});
		this.port.start();
	}

	send(text: string): void {
		this.unwrittenBytes += text.length;
		this.port.postMessage(text);
	}

	close(done: () => void): void {
		if (!this.isClosed) {
			this.isClosed = true;
			this.port.postMessage(null);
			this.port.close();
		}
		queueMicrotask(done);
	}

	drop(): void {
		this.close(() => {});
	}
}
