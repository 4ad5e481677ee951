import { signal } from "@preact/signals";

/** Opens requests and sockets to the server that the page came from, with the token that the server accepts. */
export class ServerAccess {
	/** Taken from the address that the page was opened with. A restarted server may have a different token. */
	readonly token;

	constructor(token: string) {
		this.token = signal(token);
	}

	/** Rejects with a sentence for the user: a `RequestRefused` with the server's reason, or an error if it does not answer. */
	async request(address: string, init: RequestInit = {}): Promise<Response> {
		const headers = { ...init.headers, "x-segue-token": this.token.value };
		const response = await fetch(address, { ...init, headers }).catch(() => {
			throw new Error("The server does not answer. Is it still running?");
		});
		if (!response.ok && response.status !== 304) throw new RequestRefused(response.status, await response.text());
		return response;
	}

	/** A page cannot set the headers of a WebSocket but can name subprotocols, so the token is passed as one of them. */
	openSocket(path: string): WebSocket {
		const address = new URL(path, location.href);
		address.protocol = address.protocol.replace("http", "ws");
		return new WebSocket(address, ["segue.acp", `segue.token.${this.token.value}`]);
	}

	/** Whether the server, if it answers at all, rejects this token. */
	async isRefused(token = this.token.value): Promise<boolean> {
		const response = await fetch("/folder", { headers: { "x-segue-token": token } }).catch(() => undefined);
		return response?.status === 401;
	}

	/** Switches to another token. Also puts it into the address, so that it survives a reload. */
	useToken(token: string): void {
		const fragment = fragmentOf(location.hash);
		fragment.set("token", token);
		history.replaceState(history.state, "", `#${fragment.toString().replace("inspect=&", "inspect&")}`);
		this.token.value = token;
	}

	/**
	 * Takes over tokens from this window's address and from windows that the user opens with a newer link. Windows from
	 * another origin cannot take part.
	 */
	shareTokens(): void {
		const windows = new BroadcastChannel("segue-token");
		const adopt = async (token: string) => {
			if (token !== this.token.value && token !== "" && !(await this.isRefused(token))) this.useToken(token);
		};
		windows.addEventListener("message", ({ data }) => {
			if (typeof data === "string") void adopt(data);
		});
		addEventListener("hashchange", () => void adopt(fragmentOf(location.hash).get("token") ?? ""));
		if (this.token.value !== "") windows.postMessage(this.token.value);
	}
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

/** The fields of the address's fragment: `#inspect&token=…`. They never leave the browser. */
export function fragmentOf(hash: string): URLSearchParams {
	return new URLSearchParams(hash.replace(/^#/, ""));
}

/** The token in what the user pasted: a link with a fragment, or the token alone. Undefined if there is none. */
export function tokenIn(pasted: string): string | undefined {
	const text = pasted.trim();
	const at = text.indexOf("#");
	const token = at >= 0 ? fragmentOf(text.slice(at)).get("token") : text;
	return token !== null && /^[\w-]{16,256}$/.test(token) ? token : undefined;
}
