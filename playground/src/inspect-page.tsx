import { useEffect, useMemo } from "preact/hooks";
import { MessageList } from "./inspector.js";
import { socketTo } from "./link.js";
import { ThemeSwitch } from "./theme.js";
import { MessageTrace } from "./trace.js";

/** The inspector alone, of an editor and an agent that `segue inspect` stands between. */
export function InspectPage({ token }: { token: string }) {
	const trace = useMemo(() => new MessageTrace(), []);
	useEffect(() => {
		const socket = socketTo("/trace", token);
		socket.addEventListener("message", ({ data }) => {
			if (typeof data === "string") trace.addLines(data);
		});
		return () => socket.close();
	}, [trace, token]);
	return (
		<>
			<header>
				<h1>Segue: inspector</h1>
				<ThemeSwitch />
			</header>
			<main class="inspector alone">
				<MessageList trace={trace} />
			</main>
		</>
	);
}
