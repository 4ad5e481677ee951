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
export { listModels } from "./listing.js";
export { chatModel } from "./model.js";
export { type Brief, briefOf, type LineDiagnostic, type PastEdit, type Snippet } from "./next-edit/brief.js";
export { type Answered, type EditModel, editModel } from "./next-edit/edit-model.js";
export type { Format, Question, Said } from "./next-edit/format.js";
export { type Carried, Kept } from "./next-edit/kept.js";
export { ModelPredictor } from "./next-edit/predictor.js";
export { Window } from "./next-edit/window.js";
export type { Api, EditModelSettings, ModelSettings } from "./settings.js";
