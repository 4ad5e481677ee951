import type { NextEditSession } from "@segue/agent/next-edit/session";
import * as lsp from "@segue/protocol/lsp";
import type { Connection, Problem } from "@segue/rpc";
import type { Clock } from "@segue/text";
import { settingsFromWire } from "./from-wire.js";
import type { Marks } from "./marks.js";

// A client answers within milliseconds. One that does not is served with the configured settings.
const SETTINGS_MS_MAX = 1_000;

interface ConfigurationContext {
	readonly connection: Pick<Connection<"agent">, "request" | "notify">;
	readonly session: NextEditSession;
	readonly marks: Marks;
	readonly after: Clock["after"];
	readonly report: (problem: Problem) => void;
}

/** The settings of one client: those that it sends, and those that it is asked for. */
export class ClientConfiguration {
	/** Resolves when the client's settings are known; undefined if they are, or it has none. */
	settling: Promise<void> | undefined;
	/** The settings, as the client sent them last. */
	private section: Readonly<Record<string, unknown>> = {};
	private hasSettled = false;

	constructor(private readonly context: ConfigurationContext) {}

	/** Applies the section `segue` of the client's settings, if it is one. */
	apply(section: unknown): void {
		if (typeof section !== "object" || section === null) return;
		const { session } = this.context;
		const apply = () => this.applyNow(section as Readonly<Record<string, unknown>>);
		// The models may not be known yet, and a model is one of the settings.
		if (session.preparing === undefined) apply();
		else void session.preparing.then(apply);
	}

	/** Asks the client for its settings. Requests wait for the first answer, but not for long. */
	pull(): void {
		const { connection, report, after } = this.context;
		const asked = connection.request(lsp.configuration, { items: [{ section: "segue" }] });
		const done = asked.then(
			([section]) => this.apply(section),
			(error: unknown) => {
				const text = "the client did not send its settings";
				report({ kind: "handler-failed", method: lsp.configuration.method, text, error });
			},
		);
		if (this.hasSettled) return;
		this.hasSettled = true;
		this.settling = new Promise<void>((resolve) => {
			const settle = () => {
				cancel();
				this.settling = undefined;
				resolve();
			};
			const cancel = after(SETTINGS_MS_MAX, settle);
			void done.then(settle);
		});
	}

	private applyNow(section: Readonly<Record<string, unknown>>): void {
		const { session, marks, connection } = this.context;
		const { session: changed, unset, mark, problems } = settingsFromWire(section, this.section, session);
		this.section = section;
		session.unset(unset);
		session.set(changed);
		marks.clear();
		if (mark !== undefined) marks.set(mark);
		for (const message of problems) connection.notify(lsp.showMessage, { type: lsp.MessageType.warning, message });
	}
}
