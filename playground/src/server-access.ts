import { signal } from "@preact/signals";

/** Opens requests and sockets to the server that the page came from, using the token that the server accepts. */
export class ServerAccess {
	/** Comes from the address that the page was opened with. A restarted server may have a different token. */
	readonly token;
	/** Whether the server refused the token in its latest response. */
	readonly isTokenRefused = signal(false);

	constructor(token: string) {
		this.token = signal(token);
	}

	/**
	 * Sends a request. Rejects with an error message for the user: a `RequestRefused` with the server's reason, or an
	 * error if the server does not respond.
	 */
	async request(address: string, init: RequestInit = {}): Promise<Response> {
		const token = this.token.value;
		const headers = { ...init.headers, "x-segue-token": token };
		const response = await fetch(address, { ...init, headers }).catch(() => {
			throw new Error("The server is not responding. Is it still running?");
		});
		// The token may have changed in the meantime.
		if (token === this.token.value) this.isTokenRefused.value = response.status === UNAUTHORIZED;
		if (!response.ok && response.status !== 304) throw new RequestRefused(response.status, await response.text());
		return response;
	}

	/**
	 * Opens a WebSocket. A page cannot set its headers but can name subprotocols, so the token is passed as a
	 * subprotocol.
	 */
	openSocket(path: string): WebSocket {
		const address = new URL(path, location.href);
		address.protocol = address.protocol.replace("http", "ws");
		return new WebSocket(address, ["segue.acp", `segue.token.${this.token.value}`]);
	}

	/** Whether the server rejects this token. False if it does not respond. */
	async isRefused(token = this.token.value): Promise<boolean> {
		return (await this.statusFor(token)) === UNAUTHORIZED;
	}

	/**
	 * Resolves to the status of the response to a request with this token; undefined if the server does not respond.
	 */
	private async statusFor(token: string): Promise<number | undefined> {
		const response = await fetch("/folder", { headers: { "x-segue-token": token } }).catch(() => undefined);
		return response?.status;
	}

	/** Switches to another token. Also puts it in the address, so that it survives a reload. */
	useToken(token: string): void {
		writeToken(token);
		this.isTokenRefused.value = false;
		this.token.value = token;
	}

	/**
	 * Starts adopting tokens from this window's address, and from windows that the user opens with a newer link, if the
	 * server accepts them. Ignores windows from another origin.
	 */
	shareTokens(): void {
		const windows = new BroadcastChannel("segue-token");
		const adopt = async (token: string) => {
			if (token === this.token.value || token === "") return;
			const status = await this.statusFor(token);
			// The `segue inspect` server has no folders, so it responds "not found", but only to pages with its token.
			if (status === OK || status === NOT_FOUND) this.useToken(token);
			// A reload would use the refused token. If there was no response, the token stays in the address, because
			// it may be valid.
			else if (status === UNAUTHORIZED && tokenInAddress() === token) writeToken(this.token.value);
		};
		windows.addEventListener("message", ({ data }) => {
			if (typeof data === "string") void adopt(data);
		});
		addEventListener("hashchange", () => void adopt(tokenInAddress()));
		if (this.token.value !== "") windows.postMessage(this.token.value);
	}
}

const OK = 200;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;

function tokenInAddress(): string {
	return fragmentOf(location.hash).get("token") ?? "";
}

function writeToken(token: string): void {
	const fragment = fragmentOf(location.hash);
	fragment.set("token", token);
	history.replaceState(history.state, "", `#${fragment.toString().replace("inspect=&", "inspect&")}`);
}

/** A response that is not a success. The message comes from the server and is shown to the user. */
export class RequestRefused extends Error {
	override readonly name = "RequestRefused";

	constructor(
		readonly status: number,
		reason: string,
	) {
		super(reason || `The server answered with status ${status}.`);
	}
}

/** Returns the fields in an address's fragment: `#inspect&token=…`. Browsers do not send the fragment with requests. */
export function fragmentOf(hash: string): URLSearchParams {
	return new URLSearchParams(hash.replace(/^#/, ""));
}

/** Returns the token in pasted text: a link with a fragment, or only the token. Undefined if there is none. */
export function tokenIn(pasted: string): string | undefined {
	const text = pasted.trim();
	const at = text.indexOf("#");
	const token = at >= 0 ? fragmentOf(text.slice(at)).get("token") : text;
	return token !== null && /^[\w-]{16,256}$/.test(token) ? token : undefined;
}
