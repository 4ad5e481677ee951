import type { ChatEngine } from "@segue/agent/chat/chat";
import type { Mode, ThreadSettings } from "@segue/assist";
import type { Effort } from "@segue/models";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";

/** A chat session's settings. */
export interface ChatSettings {
	readonly mode: Mode;
	/** Undefined for the configured model, if any. */
	readonly model: string | undefined;
	readonly effort: Effort | undefined;
}

/** The configuration that provides choices and defaults. */
type Configured = Pick<ChatEngine, "models" | "effort">;

const MODES: readonly { readonly id: Mode; readonly name: string; readonly description: string }[] = [
	{ id: "ask", name: "Ask", description: "Answers questions without changing anything" },
	{ id: "edit", name: "Edit", description: "Changes files and runs commands, with your approval" },
	{ id: "plan", name: "Plan", description: "Explores and makes a plan without changing anything" },
];

const EFFORTS: readonly { readonly value: Effort | typeof DEFAULT; readonly name: string }[] = [
	{ value: "default", name: "Default" },
	{ value: "low", name: "Low" },
	{ value: "medium", name: "Medium" },
	{ value: "high", name: "High" },
];

/** The choice that leaves the effort to the configuration or, if that has none, to the model. */
const DEFAULT = "default";

/** Fills in the default mode. */
export function chatSettingsOf({ mode = "edit", model, effort }: ThreadSettings): ChatSettings {
	return { mode, model, effort };
}

export function modeStateOf({ mode }: ChatSettings): acp.ModeState {
	return { currentModeId: mode, availableModes: [...MODES] };
}

/** Returns all settings with their current values. Omits the model setting if there are no models. */
export function chatOptionsOf({ mode, model, effort }: ChatSettings, configured: Configured): acp.ConfigOption[] {
	const models = configured.models.names;
	// The list may not include a model that was chosen by name.
	const choices = model === undefined || models.includes(model) ? models : [model, ...models];
	const [first] = choices;
	return [
		{
			id: "mode",
			name: "Mode",
			category: "mode",
			type: "select",
			currentValue: mode,
			options: MODES.map(({ id, ...rest }) => ({ value: id, ...rest })),
		},
		...(first === undefined
			? []
			: [
					{
						id: "model",
						name: "Model",
						category: "model",
						type: "select" as const,
						currentValue: model ?? first,
						options: choices.map((name) => ({ value: name, name })),
					},
				]),
		{
			id: "effort",
			name: "Effort",
			category: "thought_level",
			type: "select",
			currentValue: effort ?? configured.effort ?? DEFAULT,
			options: EFFORTS.map((each) => ({ ...each })),
		},
	];
}

/** Returns the settings with one changed. Throws an `RpcError` for an unknown setting or value. */
export function changeChatSetting(
	settings: ChatSettings,
	configured: Configured,
	configId: string,
	value: string | boolean,
): ChatSettings {
	const option = chatOptionsOf(settings, configured).find(({ id }) => id === configId);
	if (option?.type !== "select") throw invalid("configId", "unknown setting");
	const isChoice = option.options.some((one) => "value" in one && one.value === value);
	if (!isChoice || typeof value !== "string") throw invalid("value", "not one of the choices");
	switch (configId) {
		case "mode":
			return { ...settings, mode: value as Mode };
		case "model":
			return { ...settings, model: value };
		default:
			return { ...settings, effort: value === DEFAULT ? undefined : (value as Effort) };
	}
}

function invalid(member: string, why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${member}: ${why}`);
}
