import * as eca from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { AGENT } from "./backend.js";
import type { EcaSession } from "./eca-session.js";
import { announceSelection } from "./selection.js";

/** What the field of a key is called. The second is what ECA's own server calls it. */
const KEY_FIELDS = ["key", "api-key"] as const;

/** `providers/list`, `login`, `loginInput` and `logout`. A key goes one way, and is in no message to the editor. */
export function providerHandlers(session: EcaSession): Handler<"client">[] {
	return [
		on(eca.listProviders, async () => {
			return { providers: [...(await session.backend.providers(session.folders[0]))] };
		}),
		on(eca.loginProvider, async ({ provider, method }): Promise<eca.LoginStep> => {
			const found = await find(session, provider);
			if (isAgent(found)) return authorize(session, found, method);
			const { id, label } = found;
			return { action: "input", fields: [{ key: KEY_FIELDS[0], label: `The key for ${label ?? id}`, type: "secret" }] };
		}),
		on(eca.loginInput, async ({ provider, data }): Promise<eca.LoginStep> => {
			const found = await find(session, provider);
			if (isAgent(found)) return authorize(session, found, data["method"]);
			const { id, label } = found;
			const key = KEY_FIELDS.map((field) => data[field]).find((value) => value !== undefined);
			if (key === undefined) {
				throw new RpcError(ErrorCode.invalidParams, `Invalid params: data.${KEY_FIELDS[0]} is missing: it is the key`);
			}
			await session.backend.signIn(id, key);
			const { source, envVar } = (await tellOf(session, id)).auth;
			if (source !== "login") {
				const where = source === "env" ? envVar : "the editor's settings";
				session.show(
					"warning",
					`The key for ${label ?? id} is kept, but the one in ${where} counts before it: take that out.`,
				);
			}
			return { action: "done" };
		}),
		on(eca.logoutProvider, async ({ provider }) => {
			const { id } = await find(session, provider);
			await session.backend.signOut(id);
			await tellOf(session, id);
			return {};
		}),
	];
}

/** Another agent that answers instead of the models. */
function isAgent({ auth }: eca.Provider): boolean {
	return auth.type === AGENT;
}

/** Signs in to another agent in the way that was chosen, or in the only one. */
async function authorize(
	session: EcaSession,
	{ id, login }: eca.Provider,
	said: string | null | undefined,
): Promise<eca.LoginStep> {
	const methods = login?.methods ?? [];
	const [first, ...others] = methods;
	if (first === undefined) {
		throw new RpcError(
			ErrorCode.invalidRequest,
			`${id} cannot be signed in to from here. Sign in to it in a terminal.`,
		);
	}
	const chosen = said == null && others.length === 0 ? first : methods.find(({ key }) => key === said);
	if (chosen === undefined) return { action: "choose-method", methods };
	await session.backend.authorize(chosen.key);
	await tellOf(session, id);
	return { action: "done" };
}

/** Tells the editor how a provider is by now, and which models there are. */
async function tellOf(session: EcaSession, id: string): Promise<eca.Provider> {
	const provider = await find(session, id);
	if (session.protocolVersion !== "2025-06-09") session.connection.notify(eca.providersUpdated, provider);
	await announceSelection(session);
	return provider;
}

async function find({ backend, folders }: EcaSession, id: string): Promise<eca.Provider> {
	const providers = await backend.providers(folders[0]);
	const provider = providers.find((each) => each.id === id);
	if (provider !== undefined) return provider;
	const there = providers.map((each) => each.id).join(", ");
	throw new RpcError(
		ErrorCode.invalidParams,
		`Invalid params: there is no such provider; those that there are: ${there}`,
	);
}
