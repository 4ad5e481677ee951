import type { NextEditSession } from "@segue/agent/next-edit/session";
import * as lsp from "@segue/protocol/lsp";
import type { Connection, Problem } from "@segue/rpc";
import type { Clock } from "@segue/text";
import { settingsFromWire } from "./from-wire.js";
import type { Marks } from "./marks.js";

// Clients normally respond within milliseconds. After this time, requests use the configured settings.
const SETTINGS_MS_MAX = 1_000;

interface ConfigurationContext {
	readonly connection: Pick<Connection<"agent">, "request" | "notify">;
	readonly session: NextEditSession;
	readonly marks: Marks;
	readonly after: Clock["after"];
	readonly report: (problem: Problem) => void;
}

/** Applies one client's settings, whether the client sends them or the server requests them. */
export class ClientConfiguration {
	/** Resolves once the client has sent its settings or timed out; undefined when no request is pending. */
	settling: Promise<void> | undefined;
	/** The last settings received. */
	private section: Readonly<Record<string, unknown>> = {};
	private hasSettled = false;

	constructor(private readonly context: ConfigurationContext) {}

	/** Applies the `segue` section of the client's settings. Ignores other values. */
	apply(section: unknown): void {
		if (typeof section !== "object" || section === null) return;
		const { session } = this.context;
		const apply = () => this.applyNow(section as Readonly<Record<string, unknown>>);
		// The model setting can be validated only once the models are loaded.
		if (session.preparing === undefined) apply();
		else void session.preparing.then(apply);
	}

	/** Requests the client's settings. Requests for suggestions wait for the first response, up to a timeout. */
	pull(): void {
		const { connection, report, after } = this.context;
		const response = connection.request(lsp.configuration, { items: [{ section: "segue" }] });
		const done = response.then(
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
