import type { ChatEngine } from "@segue/agent/chat/chat";
import type { Mode, ThreadSettings } from "@segue/assist";
import type { Effort } from "@segue/models";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, RpcError } from "@segue/rpc";

/** What the user can choose in a session of chat. */
export interface ChatSettings {
	readonly mode: Mode;
	/** Undefined for the one that is configured, or where none is. */
	readonly model: string | undefined;
	readonly effort: Effort | undefined;
}

/** What there is to choose from, and what holds where nothing is chosen. */
type Configured = Pick<ChatEngine, "models" | "effort">;

const MODES: readonly { readonly id: Mode; readonly name: string; readonly description: string }[] = [
	{ id: "ask", name: "Ask", description: "Answers questions, and only reads" },
	{ id: "edit", name: "Edit", description: "Changes files and runs commands, each after you agreed" },
	{ id: "plan", name: "Plan", description: "Looks around and makes a plan, without changing anything" },
];

const EFFORTS: readonly { readonly value: Effort | typeof DEFAULT; readonly name: string }[] = [
	{ value: "default", name: "As the model likes" },
	{ value: "low", name: "Low" },
	{ value: "medium", name: "Medium" },
	{ value: "high", name: "High" },
];

/** The word for leaving a choice to the configuration or to the model. */
const DEFAULT = "default";

/** With what holds where nothing was chosen. */
export function chatSettingsOf({ mode = "edit", model, effort }: ThreadSettings): ChatSettings {
	return { mode, model, effort };
}

export function modeStateOf({ mode }: ChatSettings): acp.ModeState {
	return { currentModeId: mode, availableModes: [...MODES] };
}

/** All settings with their present values. Without any model to choose from there is none to be set. */
export function chatOptionsOf({ mode, model, effort }: ChatSettings, configured: Configured): acp.ConfigOption[] {
	const models = configured.models.names;
	// One that was chosen by its name need not be among those that are offered.
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

/** The settings with one of them changed. What is not among the choices is refused. */
export function changeChatSetting(
	settings: ChatSettings,
	configured: Configured,
	configId: string,
	value: string | boolean,
): ChatSettings {
	const option = chatOptionsOf(settings, configured).find(({ id }) => id === configId);
	if (option?.type !== "select") throw invalid("configId", "there is no such setting");
	const isChoice = option.options.some((one) => "value" in one && one.value === value);
	if (!isChoice || typeof value !== "string") throw invalid("value", "it is none of the choices");
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
