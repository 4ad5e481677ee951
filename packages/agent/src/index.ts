export type { Predict } from "./next-edit/models.js";
export type { NoSuggestion } from "./next-edit/no-suggestion.js";
export type { SuggestionOffer } from "./next-edit/offers.js";
export {
	type DocumentUpdate,
	type NextEditRequest,
	NO_CONTEXT,
	type OpenFile,
	type RequestContext,
} from "./next-edit/request.js";
export {
	CancelledError,
	type NextEditResponse,
	NextEditSession,
	type NextEditSessionOptions,
} from "./next-edit/session.js";
export type { Settings } from "./next-edit/settings.js";
export type { Locate } from "./next-edit/views.js";
