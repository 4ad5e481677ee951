import type { ConfigOption } from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";
import type { ListedModel } from "./models.js";

/** The engine that needs no model, as a person chooses it. */
export const EMBEDDED = "embedded";

/** What the user may set for a session of next edits. */
export interface Settings {
	readonly isEnabled: boolean;
	readonly eagerness: "low" | "medium" | "high";
	/** The embedded engine, or one of the models that are listed. */
	readonly model: string;
}

/** The id of the one whose values are known only when the configuration was read. */
export const MODEL_OPTION = "nes_model";

export const DEFAULT_SETTINGS: Settings = { isEnabled: true, eagerness: "medium", model: EMBEDDED };

/** The settings as ACP shows them, always all. Clients that do not know booleans choose between on and off. */
export function configOptionsOf(
	settings: Settings,
	listed: readonly ListedModel[],
	knowsBooleans: boolean,
): ConfigOption[] {
	const { isEnabled, eagerness, model } = settings;
	const enabled = { id: "nes_enabled", name: "Next edit suggestions" };
	return [
		knowsBooleans
			? { ...enabled, type: "boolean", currentValue: isEnabled }
			: { ...enabled, type: "select", currentValue: isEnabled ? "on" : "off", options: [ON, OFF] },
		{
			id: "nes_eagerness",
			name: "Eagerness",
			description: "How sure a suggestion must be before it is shown",
			type: "select",
			currentValue: eagerness,
			options: [
				{ value: "low", name: "Low", description: "Show little, and be right" },
				{ value: "medium", name: "Medium" },
				{ value: "high", name: "High", description: "Show more" },
			],
		},
		{
			id: MODEL_OPTION,
			name: "Prediction model",
			category: "model",
			type: "select",
			currentValue: model,
			options: [
				{ value: EMBEDDED, name: "Embedded", description: "No model: rules that run on this machine" },
				...listed.map(({ name, description }) => ({ value: name, name, description })),
			],
		},
	];
}

const ON = { value: "on", name: "On" };
const OFF = { value: "off", name: "Off" };

/** The settings with one of them changed. An option or a value that there is not is the caller's mistake. */
export function changeSetting(
	settings: Settings,
	listed: readonly ListedModel[],
	configId: string,
	value: string | boolean,
): Settings {
	switch (configId) {
		case "nes_enabled":
			if (value === true || value === "on") return { ...settings, isEnabled: true };
			if (value === false || value === "off") return { ...settings, isEnabled: false };
			break;
		case "nes_eagerness":
			if (value === "low" || value === "medium" || value === "high") return { ...settings, eagerness: value };
			break;
		case MODEL_OPTION:
			if (value === EMBEDDED) return { ...settings, model: EMBEDDED };
			if (listed.some(({ name }) => name === value)) return { ...settings, model: String(value) };
			break;
		default:
			throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.configId: there is no such option");
	}
	throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.value: not a value of ${configId}`);
}
