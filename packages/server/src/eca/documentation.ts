import { eca } from "@segue/protocol/eca";
import { type Handler, on } from "@segue/rpc";
import type { Clock } from "./asking.js";
import type { Documenter } from "./documenter.js";
import type { EcaSession } from "./session.js";

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
