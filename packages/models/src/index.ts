export type {
	CallPart,
	ChatEnd,
	ChatEvent,
	ChatMessage,
	ChatModel,
	ChatRequest,
	Effort,
	ImagePart,
	TextPart,
	ThoughtPart,
	ToolDescription,
	ToolResult,
	Usage,
} from "./chat.js";
export { type FailureKind, ModelFailure } from "./failure.js";
export { chatModel } from "./model.js";
export type { ModelSettings } from "./settings.js";
