import * as eca from "@segue/protocol/eca";
import { type Handler, on } from "@segue/rpc";
import type { Clock } from "@segue/text";
import type { EcaSession } from "../eca-session.js";
import type { Completer } from "./completer.js";
import type { Documenter } from "./documenter.js";

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

/** Answers `documentation/generate`. What it takes is loaded with the first request. */
export function documentationHandlers(session: EcaSession, clock: Clock): Handler<"client">[] {
	let loaded: Promise<Documenter> | undefined;
	const load = async () => {
		const { Documenter } = await import("./documenter.js");
		return new Documenter(session, clock);
	};
	return [
		on(
			eca.generateDocumentation,
			async (params, { signal }) => {
				loaded ??= load();
				return (await loaded).write(params, signal);
			},
			{ isTalk: true },
		),
	];
}
