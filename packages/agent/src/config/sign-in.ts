import type { AuthMethod } from "@segue/protocol/acp";
import { type ConfigurationSources, readConfiguration } from "./configuration.js";

/**
 * How somebody signs in to the configured model, where a key for it is missing: in a terminal, in which an editor runs us once
 * more with these arguments behind its own.
 */
export function signInsFor({ folder, env }: Pick<ConfigurationSources, "folder" | "env">): AuthMethod[] {
	const { model, providers } = readConfiguration({ folder, env, flags: {} });
	const provider = providers.get(model?.value.split("/", 1)[0] ?? "");
	if (provider === undefined || !provider.needsKey || provider.key !== undefined) return [];
	const { name } = provider;
	const description = `Stores a key for ${name}, as segue login ${name} does.`;
	return [
		{ id: `login-${name}`, name: `Key for ${name}`, description, type: "terminal", args: ["--login", name], env: {} },
	];
}
