import type { EnginePool, EnginePoolSettings } from "@segue/agent/chat/engine-pool";
import type { Configuration } from "@segue/agent/config/configuration";
import type { Provider as ConfiguredProvider } from "@segue/agent/config/providers";
import type { UserFiles } from "@segue/agent/config/user-files";
import type { Settings } from "@segue/agent/next-edit/settings";
import type { AgentSignInMethod, OtherAgent } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";
import { ErrorCode, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../engine-error.js";
import { AGENT, type EcaBackend, type EcaEngine, type ServerChange } from "./backend.js";
import type { InitializationOptions } from "./options/initialization-options.js";

/** Settings from the command line and the process. */
type ConfiguredSettings = Omit<EnginePoolSettings, "editor">;

/** A backend that is configured by the user and the editor. Loads the chat code when the first engine is requested. */
export class ConfiguredBackend implements EcaBackend {
	private initializationOptions: Readonly<Record<string, unknown>> = {};
	private options: Promise<InitializationOptions> | undefined;
	private engines: Promise<EnginePool> | undefined;
	/** The acquired engines, by folder. */
	private readonly acquired = new Map<string, Promise<AcquiredEcaEngine>>();

	/** The name of the external agent, once it has been listed. */
	private agent: string | undefined;
	/** Whether the user has signed in to the external agent through this server. */
	private isAuthorized = false;

	constructor(private readonly settings: ConfiguredSettings) {}

	async configure(options: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
		this.initializationOptions = options;
		this.options = undefined;
		return (await this.read()).complaints;
	}

	async engineFor(folder: string): Promise<EcaEngine> {
		const acquired = this.acquired.get(folder) ?? this.acquire(folder);
		this.acquired.set(folder, acquired);
		acquired.catch(() => this.acquired.delete(folder));
		return (await acquired).engine;
	}

	release(folder: string): void {
		const acquired = this.acquired.get(folder);
		this.acquired.delete(folder);
		// If acquiring the engine failed, there is nothing to release.
		acquired?.then(({ release }) => release()).catch(() => {});
	}

	async changeServer(folder: string, name: string, change: ServerChange): Promise<void> {
		const { addMcpServer, removeMcpServer, updateMcpServer } = await import("@segue/agent/config/mcp-servers");
		const { mcpServers } = await this.configurationOf(folder);
		const origin = mcpServers.find(({ value }) => value.name === name)?.origin;
		if (change.type === "add" && origin !== undefined)
			refuse(`The MCP server ${name} is already configured in ${origin.where}.`);
		if (change.type !== "add" && origin === undefined) refuse(`The MCP server ${name} is not configured.`);
		if (origin !== undefined && origin.from !== "user") {
			refuse(`The MCP server ${name} is configured in ${origin.where}. Change it there.`);
		}
		await this.editUserFile(({ configuration: file }) => {
			if (change.type === "remove") removeMcpServer(file, name);
			else if (change.type === "add") addMcpServer(file, name, change.entry);
			else updateMcpServer(file, name, change.entry);
		});
		const server = (await this.configurationOf(folder)).mcpServers.find(({ value }) => value.name === name)?.value;
		for (const each of await Promise.allSettled(this.acquired.values())) {
			if (each.status === "rejected") continue;
			const { mcp } = each.value.engine.assist;
			if (server !== undefined) await mcp.replace(server);
			else if (mcp.states().some((state) => state.server.name === name)) await mcp.remove(name);
		}
	}

	async suggestionSettings(folder: string): Promise<Omit<Settings, "model">> {
		const { configuredSettings } = await import("@segue/agent/config/next-edit");
		return configuredSettings((await this.configurationOf(folder)).nextEdit);
	}

	async providers(folder: string): Promise<readonly eca.Provider[]> {
		const { providers } = await this.configurationOf(folder);
		const configured = [...providers.values()].map(providerOf);
		const agent = await this.agentAsProvider(folder);
		return agent === undefined ? configured : [agent, ...configured];
	}

	async signIn(provider: string, key: string): Promise<void> {
		const { keyObjection, storeKey } = await import("@segue/agent/config/api-keys");
		const secret = key.trim();
		const objection = keyObjection(secret);
		if (objection !== undefined) throw new RpcError(ErrorCode.invalidParams, `${objection} Nothing was stored.`);
		await this.change((file) => storeKey(file, provider, secret));
	}

	async authorize(method: string): Promise<void> {
		const agent = await this.otherAgent();
		await agent.signIn(method).catch(rejectForPeer);
		this.isAuthorized = true;
	}

	async signOut(provider: string): Promise<void> {
		if (provider === this.agent) {
			const agent = await this.otherAgent();
			await agent.signOut().catch(rejectForPeer);
			this.isAuthorized = false;
			return;
		}
		const { forgetKey } = await import("@segue/agent/config/api-keys");
		await this.change((file) => forgetKey(file, provider));
	}

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}

	/**
	 * Loads the option reader lazily, because it imports the whole configuration schema, which would delay the initialize
	 * response.
	 */
	private read(): Promise<InitializationOptions> {
		this.options ??= import("./options/initialization-options.js").then(({ readInitializationOptions }) =>
			readInitializationOptions(this.initializationOptions, this.settings),
		);
		return this.options;
	}

	private async configurationOf(folder: string): Promise<Configuration> {
		const { readConfiguration } = await import("@segue/agent/config/configuration");
		const { configuration: editor } = await this.read();
		return readConfiguration({ folder, env: this.settings.env, flags: {}, editor });
	}

	private async opened(): Promise<EnginePool> {
		const { configuration } = await this.read();
		this.engines ??= import("@segue/agent/chat/engine-pool").then(({ EnginePool }) => {
			return new EnginePool({ ...this.settings, editor: configuration });
		});
		return this.engines;
	}

	private async otherAgent(): Promise<OtherAgent> {
		return (await this.opened()).otherAgent().catch(rejectForPeer);
	}

	/** Returns undefined if the agent is not running. The next turn reports why. */
	private async signInMethods(): Promise<readonly AgentSignInMethod[] | undefined> {
		try {
			const agent = await this.otherAgent();
			return await agent.signInMethods(this.settings.folder).catch(rejectForPeer);
		} catch (error) {
			if (!(error instanceof RpcError)) throw error;
			return undefined;
		}
	}

	/** Lists the external agent as a provider, so the user can sign in to it. */
	private async agentAsProvider(folder: string): Promise<eca.Provider | undefined> {
		if (this.settings.agent === undefined) return undefined;
		const { agent } = await this.engineFor(folder);
		if (agent === undefined) return undefined;
		this.agent = agent;
		const about = { id: agent, configured: true, models: [] };
		const offered = await this.signInMethods();
		if (offered === undefined) return { ...about, auth: { status: "not-running", type: AGENT } };
		const methods = offered.map(({ id, name }) => ({ key: id, label: name }));
		const status = methods.length === 0 ? "local" : this.isAuthorized ? "authenticated" : "unauthenticated";
		return { ...about, auth: { status, type: AGENT }, login: { methods } };
	}

	private async acquire(folder: string): Promise<AcquiredEcaEngine> {
		const { mode = "edit", writers, disabledServers } = await this.read();
		const { engine, release } = await (await this.opened()).acquire(folder).catch(rejectForPeer);
		await Promise.all(disabledServers.map((name) => engine.assist.mcp.disable(name)));
		return { engine: { ...engine, mode, writers }, release };
	}

	/** Changes the key file and notifies the engines. */
	private async change(act: (file: string) => void): Promise<void> {
		await this.editUserFile(({ keys }) => act(keys));
		await (await this.engines)?.keysChanged();
	}

	/** Changes one of the user's configuration files. */
	private async editUserFile(act: (places: UserFiles) => void): Promise<void> {
		const { userFilesOf } = await import("@segue/agent/config/user-files");
		const { UserError } = await import("@segue/agent/config/user-error");
		try {
			act(userFilesOf(this.settings.env));
		} catch (error) {
			if (!(error instanceof UserError)) throw error;
			throw new RpcError(ErrorCode.internal, error.message);
		}
	}
}

function refuse(why: string): never {
	throw new RpcError(ErrorCode.invalidParams, why);
}

interface AcquiredEcaEngine {
	readonly engine: EcaEngine;
	readonly release: () => void;
}

function providerOf(provider: ConfiguredProvider): eca.Provider {
	const { name, baseUrl, key, models, facts } = provider;
	const label = LABELS[name];
	return {
		id: name,
		...(label !== undefined && { label }),
		configured: models.size > 0 || key !== undefined || (baseUrl !== undefined && baseUrl.origin.from !== "default"),
		auth: authOf(provider),
		...(baseUrl !== undefined && { login: { methods: [{ key: "api-key", label: "Enter an API key" }] } }),
		models: [...models].map(([id, configured]) => {
			const { images = false } = { ...facts, ...configured };
			// It is unknown whether a model supports reasoning. Users can try its variants.
			return { id, capabilities: { reason: false, vision: images, tools: true, webSearch: false } };
		}),
	};
}

function authOf({ baseUrl, key, headers, keyVariables, needsKey }: ConfiguredProvider): eca.Provider["auth"] {
	if (key !== undefined) {
		const { from, where } = key.origin;
		const source = from === "environment" ? "env" : from === "login" ? "login" : "config";
		return { status: "authenticated", type: "api-key", source, ...(source === "env" && { envVar: where }) };
	}
	// A configured header may carry the credentials.
	if (headers !== undefined) return { status: "authenticated", source: "config" };
	if (!needsKey && baseUrl !== undefined && isHere(baseUrl.value)) return { status: "local" };
	const envVar = keyVariables.at(-1);
	return { status: "unauthenticated", ...(envVar !== undefined && { envVar }) };
}

function isHere(address: string): boolean {
	return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** Display names of the built-in providers. */
const LABELS: Readonly<Record<string, string>> = {
	anthropic: "Anthropic",
	openai: "OpenAI",
	openrouter: "OpenRouter",
	google: "Google",
	"github-copilot": "GitHub Copilot",
	ollama: "Ollama",
	lmstudio: "LM Studio",
	llamacpp: "llama.cpp",
	vllm: "vLLM",
	"openai-compatible": "OpenAI-compatible",
};
