import { eca } from "@segue/protocol/eca";
import { type Handler, on } from "@segue/rpc";
import type { Clock } from "./asking.js";
import type { Completer } from "./completer.js";
import type { EcaSession } from "./session.js";

/** Answers `completion/inline`. What it takes is loaded with the first request, since most editors never make one. */
export function completionHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	let loaded: Promise<Completer> | undefined;
	const startedAtMs = clock.now();
	const load = async () => {
		const { Completer } = await import("./completer.js");
		return new Completer(session, clock, startedAtMs);
	};
	return [
		on(
			eca.completionInline,
			async (params, { signal }) => {
				loaded ??= load();
				return (await loaded).complete(params, signal);
			},
			{ isTalk: true },
		),
	];
}
