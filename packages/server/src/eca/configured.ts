import type { Provider } from "@segue/protocol/eca";
import { ErrorCode, RpcError } from "@segue/rpc";
import type { ChatEngines } from "../chat/engines.js";
import type { Environment } from "../configuration/places.js";
import type { Provider as ConfiguredProvider } from "../configuration/providers.js";
import type { EcaBackend, EcaEngine } from "./backend.js";
import type { EcaOptions } from "./options.js";

/** What the command line and the process say. */
export interface ConfiguredSettings {
	readonly env: Environment & NodeJS.ProcessEnv;
	/** Where the process was started. Its configuration says where threads are kept. */
	readonly folder: string;
	/** Another agent that answers instead of a model: its name, or its command line. */
	readonly agent: string | undefined;
	/** Told what a person should know of the configuration, and what another agent says that nobody has to know. */
	readonly tell: (notice: string) => void;
}

/** Engines as the user and the editor have configured them. Nothing of chat is loaded before the first is asked for. */
export class ConfiguredBackend implements EcaBackend {
	private said: Readonly<Record<string, unknown>> = {};
	private options: Promise<EcaOptions> | undefined;
	private engines: Promise<ChatEngines> | undefined;
	/** By folder. They are kept: an editor that changes its workspace may have chats of before that go on. */
	private readonly lent = new Map<string, Promise<EcaEngine>>();

	constructor(private readonly settings: ConfiguredSettings) {}

	async configure(options: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
		this.said = options;
		this.options = undefined;
		return (await this.read()).complaints;
	}

	async engineFor(folder: string): Promise<EcaEngine> {
		const lent = this.lent.get(folder) ?? this.lend(folder);
		this.lent.set(folder, lent);
		lent.catch(() => this.lent.delete(folder));
		return lent;
	}

	async providers(folder: string): Promise<readonly Provider[]> {
		const { readConfiguration } = await import("../configuration/configuration.js");
		const { env } = this.settings;
		const { configuration: editor } = await this.read();
		const { providers } = readConfiguration({ folder, env, flags: {}, editor });
		return [...providers.values()].map(providerOf);
	}

	async signIn(provider: string, key: string): Promise<void> {
		const { objectionTo, storeKey } = await import("../configuration/keys.js");
		const secret = key.trim();
		const objection = objectionTo(secret);
		if (objection !== undefined) throw new RpcError(ErrorCode.invalidParams, `${objection} Nothing was stored.`);
		await this.change((file) => storeKey(file, provider, secret));
	}

	async signOut(provider: string): Promise<void> {
		const { forgetKey } = await import("../configuration/keys.js");
		await this.change((file) => forgetKey(file, provider));
	}

	async close(): Promise<void> {
		await (await this.engines)?.close();
	}

	/** The reader of options knows all of our configuration, and an editor waits for the answer to its first request. */
	private read(): Promise<EcaOptions> {
		this.options ??= import("./options.js").then(({ readOptions }) => readOptions(this.said, this.settings));
		return this.options;
	}

	private async lend(folder: string): Promise<EcaEngine> {
		const { env, folder: home, agent, tell } = this.settings;
		const { configuration, mode = "edit", writers, disabledServers } = await this.read();
		this.engines ??= import("../chat/engines.js").then(({ ChatEngines }) => {
			return new ChatEngines(env, home, agent, tell, configuration);
		});
		const { engine } = await (await this.engines).engineFor(folder);
		await Promise.all(disabledServers.map((name) => engine.assist.mcp.disable(name)));
		return { ...engine, mode, writers };
	}

	/** Does something to the file of keys. */
	private async change(act: (file: string) => void): Promise<void> {
		const { placesOf } = await import("../configuration/places.js");
		const { Refusal } = await import("../configuration/refusal.js");
		try {
			act(placesOf(this.settings.env).keys);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			throw new RpcError(ErrorCode.internal, error.message);
		}
		await (await this.engines)?.keysChanged();
	}
}

function providerOf(provider: ConfiguredProvider): Provider {
	const { name, baseUrl, key, models, facts } = provider;
	const label = LABELS[name];
	return {
		id: name,
		...(label !== undefined && { label }),
		configured: models.size > 0 || key !== undefined || (baseUrl !== undefined && baseUrl.origin.from !== "default"),
		auth: authOf(provider),
		...(baseUrl !== undefined && { login: { methods: [{ key: "api-key", label: "Enter an API key" }] } }),
		models: [...models].map(([id, said]) => {
			const { images = false } = { ...facts, ...said };
			// Nobody knows of a model beforehand whether it reasons; its variants can be tried.
			return { id, capabilities: { reason: false, vision: images, tools: true, webSearch: false } };
		}),
	};
}

function authOf({ baseUrl, key, headers, keyVariables, needsKey }: ConfiguredProvider): Provider["auth"] {
	if (key !== undefined) {
		const { from, where } = key.origin;
		const source = from === "environment" ? "env" : from === "login" ? "login" : "config";
		return { status: "authenticated", type: "api-key", source, ...(source === "env" && { envVar: where }) };
	}
	// A header may be what lets us in.
	if (headers !== undefined) return { status: "authenticated", source: "config" };
	if (!needsKey && baseUrl !== undefined && isHere(baseUrl.value)) return { status: "local" };
	const envVar = keyVariables.at(-1);
	return { status: "unauthenticated", ...(envVar !== undefined && { envVar }) };
}

function isHere(address: string): boolean {
	return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** What people call those that are built in. */
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
