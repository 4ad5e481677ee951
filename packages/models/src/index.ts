export type {
	ChatMessage,
	ChatModel,
	ChatRequest,
	Effort,
	ImagePart,
	ToolDescription,
	ToolResult,
} from "./chat/chat.js";
export { chatModel } from "./chat/model.js";
export type { CallPart, ChatEnd, ChatEvent, TextPart, ThoughtPart, Usage } from "./event.js";
export { type FailureKind, ModelFailure } from "./failure.js";
export { listModels } from "./listing.js";
export { type Brief, briefOf, type LineDiagnostic, type PastEdit, type Snippet } from "./next-edit/brief.js";
export { type Answered, type EditModel, editModel } from "./next-edit/edit-model.js";
export { type Format, type Question, questionOf, type Said } from "./next-edit/format.js";
export { FORMATS } from "./next-edit/formats.js";
export { type Carried, Kept } from "./next-edit/kept.js";
export { hunksOf } from "./next-edit/past-edits.js";
export { ModelPredictor } from "./next-edit/predictor.js";
export { Turns } from "./next-edit/turns.js";
export { Window } from "./next-edit/window.js";
export type { Api, EditModelSettings, KeyAdvice, ModelSettings } from "./settings.js";
