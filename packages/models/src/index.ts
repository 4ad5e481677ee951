export { chatModel } from "./chat/chat-model.js";
export type {
	ChatMessage,
	ChatModel,
	ChatRequest,
	Effort,
	ImagePart,
	ToolDescription,
	ToolResult,
} from "./chat/messages.js";
export type { CallPart, ChatEnd, ChatEvent, TextPart, ThoughtPart, Usage } from "./events.js";
export { type FailureKind, ModelFailure } from "./failure.js";
export { listModels } from "./listing.js";
export { AnswerCache, type RebasedAnswer } from "./next-edit/answer-cache.js";
export { type EditModel, type EditReply, editModel } from "./next-edit/edit-model.js";
export type {
	CodeSnippet,
	EditModelRequest,
	Format,
	LineDiagnostic,
	ModelOutput,
	PastEdit,
	PromptInput,
} from "./next-edit/format.js";
export { editModelRequestOf, FORMATS } from "./next-edit/formats.js";
export { hunksOf } from "./next-edit/past-edits.js";
export { ModelPredictor } from "./next-edit/predictor.js";
export { promptInputOf } from "./next-edit/prompt-input.js";
export { ServerQueue } from "./next-edit/server-queue.js";
export { Window } from "./next-edit/window.js";
export type { Api, EditModelSettings, KeyAdvice, ModelSettings } from "./settings.js";
