export {
	type DocumentUpdate,
	NO_CONTEXT,
	type OpenFile,
	type Request,
	type RequestContext,
} from "./next-edit/request.js";
export {
	Cancelled,
	type NoSuggestion,
	type Offer,
	type Predict,
	Session,
	type SessionOptions,
	type SuggestAnswer,
} from "./next-edit/session.js";
export type { Settings } from "./next-edit/settings.js";
export type { Locate } from "./next-edit/views.js";
