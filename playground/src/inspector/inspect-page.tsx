import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ExpiredLink } from "../expired-link.js";
import type { ServerAccess } from "../server-access.js";
import { ThemeSwitch } from "../settings/theme-switch.js";
import { MessageList } from "./inspector-panel.js";
import { MessageTrace } from "./message-trace.js";
import { TraceFollower } from "./trace-file.js";

// Short enough to reconnect soon after `segue inspect` restarts, and long enough to be cheap while it is not running.
const RETRY_MS = 2000;

/** After "refused" it does not retry, because the server has a different token. */
type Standing = "connecting" | "live" | "lost" | "refused";

/** The page of `segue inspect`: the messages between an editor and an agent. */
export function InspectPage({ server }: { server: ServerAccess }) {
	const trace = useMemo(() => new MessageTrace(), []);
	const standing = useSignal<Standing>("connecting");
	const token = server.token.value;
	useEffect(() => follow(trace, server, standing), [trace, token]);
	return (
		<>
			<header>
				<h1>Segue Inspector</h1>
				<ThemeSwitch />
			</header>
			{standing.value === "refused" && <ExpiredLink server={server} />}
			<main class="inspector alone">
				<p class="trouble" role="status">
					{TROUBLES[standing.value]}
				</p>
				<MessageList trace={trace} source={SOURCES[standing.value]} />
			</main>
		</>
	);
}

const SOURCES: Readonly<Record<Standing, string>> = {
	connecting: "Connecting",
	live: "Live",
	lost: "Ended",
	refused: "Refused",
};

const TROUBLES: Readonly<Record<Standing, string>> = {
	connecting: "",
	live: "",
	lost: "Not connected: segue inspect is not running. Earlier messages are kept, and this page reconnects when it is running again.",
	refused: "",
};

/** Receives the trace from `segue inspect`, and reconnects after a restart. Returns a function that disconnects. */
function follow(trace: MessageTrace, server: ServerAccess, standing: Signal<Standing>): () => void {
	const follower = new TraceFollower(trace);
	let end = () => {};
	const connect = () => {
		const socket = server.openSocket("/trace");
		socket.addEventListener("open", () => {
			standing.value = "live";
		});
		socket.addEventListener("message", ({ data }) => {
			if (typeof data === "string") follower.add(data);
		});
		const lost = new AbortController();
		end = () => {
			lost.abort();
			socket.close();
		};
		const lose = async () => {
			const wasLive = standing.value === "live";
			// A WebSocket does not report why it failed to open, so use an HTTP request to find out.
			const isRefused = !wasLive && (await server.isRefused());
			if (lost.signal.aborted) return;
			standing.value = isRefused ? "refused" : "lost";
			if (isRefused) return;
			const timer = setTimeout(connect, RETRY_MS);
			end = () => clearTimeout(timer);
		};
		socket.addEventListener("close", () => void lose(), { signal: lost.signal });
	};
	connect();
	return () => end();
}
