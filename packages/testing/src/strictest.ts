import * as sdk from "@agentclientprotocol/sdk/experimental/nes";

interface Validator {
	parse(value: unknown): unknown;
	safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

/**
 * The SDK's frozen validators, by method: the strictest reading of next edits that there is, for what our ends write. They
 * strip members that they do not know.
 */
export const STRICTEST: Readonly<Record<"params" | "result", Readonly<Record<string, Validator>>>> = {
	params: {
		initialize: sdk.zInitializeRequest,
		"nes/start": sdk.validate.zStartNesRequest,
		"nes/suggest": sdk.validate.zSuggestNesRequest,
		"nes/close": sdk.validate.zCloseNesRequest,
		"nes/accept": sdk.validate.zAcceptNesNotification,
		"nes/reject": sdk.validate.zRejectNesNotification,
		"document/didOpen": sdk.validate.zDidOpenDocumentNotification,
		"document/didChange": sdk.validate.zDidChangeDocumentNotification,
		"document/didClose": sdk.validate.zDidCloseDocumentNotification,
		"document/didSave": sdk.validate.zDidSaveDocumentNotification,
		"document/didFocus": sdk.validate.zDidFocusDocumentNotification,
	},
	result: {
		initialize: sdk.zInitializeResponse,
		"nes/start": sdk.validate.zStartNesResponse,
		"nes/suggest": sdk.validate.zSuggestNesResponse,
		"nes/close": sdk.validate.zCloseNesResponse,
	},
};
