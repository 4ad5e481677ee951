import * as eca from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { AGENT } from "./backend.js";
import type { EcaSession } from "./eca-session.js";
import { announceSelection } from "./selection.js";

/** Names of the key field. The second one is used by ECA's own server. */
const KEY_FIELDS = ["key", "api-key"] as const;

/** Handles `providers/list`, `login`, `loginInput` and `logout`. Keys are never sent to the editor. */
export function providerHandlers(session: EcaSession): Handler<"client">[] {
	return [
		on(eca.listProviders, async () => {
			return { providers: [...(await session.backend.providers(session.folders[0]))] };
		}),
		on(eca.loginProvider, async ({ provider, method }): Promise<eca.LoginStep> => {
			const found = await find(session, provider);
			if (isAgent(found)) return authorize(session, found, method);
			const { id, label } = found;
			return { action: "input", fields: [{ key: KEY_FIELDS[0], label: `API key for ${label ?? id}`, type: "secret" }] };
		}),
		on(eca.loginInput, async ({ provider, data }): Promise<eca.LoginStep> => {
			const found = await find(session, provider);
			if (isAgent(found)) return authorize(session, found, data["method"]);
			const { id, label } = found;
			const key = KEY_FIELDS.map((field) => data[field]).find((value) => value !== undefined);
			if (key === undefined) {
				throw new RpcError(ErrorCode.invalidParams, `Invalid params: the API key is missing (data.${KEY_FIELDS[0]})`);
			}
			await session.backend.signIn(id, key);
			const { source, envVar } = (await sendProvider(session, id)).auth;
			if (source !== "login") {
				const where = source === "env" ? envVar : "the editor's settings";
				session.show(
					"warning",
					`The key for ${label ?? id} was saved, but the one in ${where} takes precedence. Remove it to use this key.`,
				);
			}
			return { action: "done" };
		}),
		on(eca.logoutProvider, async ({ provider }) => {
			const { id } = await find(session, provider);
			await session.backend.signOut(id);
			await sendProvider(session, id);
			return {};
		}),
	];
}

/** Whether the provider is an external agent that replaces the models. */
function isAgent({ auth }: eca.Provider): boolean {
	return auth.type === AGENT;
}

/** Signs in to an external agent with the selected method or, if the agent has only one method, with that one. */
async function authorize(
	session: EcaSession,
	{ id, login }: eca.Provider,
	method: string | null | undefined,
): Promise<eca.LoginStep> {
	const methods = login?.methods ?? [];
	const [first, ...others] = methods;
	if (first === undefined) {
		throw new RpcError(ErrorCode.invalidRequest, `Cannot sign in to ${id} from here. Sign in to it in a terminal.`);
	}
	const chosen = method == null && others.length === 0 ? first : methods.find(({ key }) => key === method);
	if (chosen === undefined) return { action: "choose-method", methods };
	await session.backend.authorize(chosen.key);
	await sendProvider(session, id);
	return { action: "done" };
}

/** Sends the editor the current state of a provider and the available models. */
async function sendProvider(session: EcaSession, id: string): Promise<eca.Provider> {
	const provider = await find(session, id);
	if (session.protocolVersion !== "2025-06-09") session.connection.notify(eca.providersUpdated, provider);
	await announceSelection(session);
	return provider;
}

async function find({ backend, folders }: EcaSession, id: string): Promise<eca.Provider> {
	const providers = await backend.providers(folders[0]);
	const provider = providers.find((each) => each.id === id);
	if (provider !== undefined) return provider;
	const available = providers.map((each) => each.id).join(", ");
	throw new RpcError(ErrorCode.invalidParams, `Invalid params: unknown provider. Available: ${available}`);
}
