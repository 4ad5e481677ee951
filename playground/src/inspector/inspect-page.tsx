import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { socketTo } from "../agent-link.js";
import { isRefused } from "../files/disk-folder.js";
import { ThemeSwitch } from "../settings/theme-switch.js";
import { MessageList } from "./inspector-panel.js";
import { MessageTrace } from "./message-trace.js";

// One who starts `segue inspect` again does not wait for the page; one who does not costs next to nothing.
const AGAIN_MS = 2000;

/** Who was refused is not let in by trying again: the token is another. */
type Standing = "connecting" | "live" | "lost" | "refused";

/** The inspector alone, of an editor and an agent that `segue inspect` stands between. */
export function InspectPage({ token }: { token: string }) {
	const trace = useMemo(() => new MessageTrace(), []);
	const standing = useSignal<Standing>("connecting");
	useEffect(() => follow(trace, token, standing), [trace, token]);
	return (
		<>
			<header>
				<h1>Segue: inspector</h1>
				<ThemeSwitch />
			</header>
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
	lost: "There is no connection: segue inspect has ended, or runs elsewhere. What came stays, and it is looked for again.",
	refused:
		"segue inspect does not let this page in. Open the whole address that it has printed: it ends with its token, #inspect&token=…",
};

/** Takes what `segue inspect` writes down, for as long as it is there and when it is there again. Returns what ends that. */
function follow(trace: MessageTrace, token: string, standing: Signal<Standing>): () => void {
	let end = () => {};
	const connect = () => {
		const socket = socketTo("/trace", token);
		socket.addEventListener("open", () => {
			standing.value = "live";
		});
		socket.addEventListener("message", ({ data }) => {
			if (typeof data === "string") trace.addLines(data);
		});
		const lost = new AbortController();
		end = () => {
			lost.abort();
			socket.close();
		};
		const lose = async () => {
			const wasLive = standing.value === "live";
			// A socket does not say why it was not opened, but a request does.
			const isOut = !wasLive && (await isRefused(token));
			if (lost.signal.aborted) return;
			standing.value = isOut ? "refused" : "lost";
			if (isOut) return;
			const timer = setTimeout(connect, AGAIN_MS);
			end = () => clearTimeout(timer);
		};
		socket.addEventListener("close", () => void lose(), { signal: lost.signal });
	};
	connect();
	return () => end();
}
