import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
import stable from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import * as z from "zod";

interface Validator {
	parse(value: unknown): unknown;
	safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

/**
 * Strict schemas for the ACP messages that Segue sends, by method. Next-edit messages use the SDK's frozen validators,
 * which strip unknown members. Chat messages use the schemas from the stable protocol version.
 */
export const STRICT_VALIDATORS: Readonly<Record<"params" | "result", Readonly<Record<string, Validator>>>> = {
	params: {
		...chatValidators("Request"),
		"session/cancel": definition("CancelNotification"),
		"session/update": definition("SessionNotification"),
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
		...chatValidators("Response"),
		initialize: sdk.zInitializeResponse,
		"nes/start": sdk.validate.zStartNesResponse,
		"nes/suggest": sdk.validate.zSuggestNesResponse,
		"nes/close": sdk.validate.zCloseNesResponse,
	},
};

/** Returns the validators for chat requests, created from the schema's definitions. */
function chatValidators(part: "Request" | "Response"): Record<string, Validator> {
	const names = {
		authenticate: "Authenticate",
		logout: "Logout",
		"session/new": "NewSession",
		"session/load": "LoadSession",
		"session/resume": "ResumeSession",
		"session/close": "CloseSession",
		"session/delete": "DeleteSession",
		"session/list": "ListSessions",
		"session/set_mode": "SetSessionMode",
		"session/set_config_option": "SetSessionConfigOption",
		"session/prompt": "Prompt",
		"session/request_permission": "RequestPermission",
		"fs/read_text_file": "ReadTextFile",
		"fs/write_text_file": "WriteTextFile",
		"terminal/create": "CreateTerminal",
		"terminal/output": "TerminalOutput",
		"terminal/wait_for_exit": "WaitForTerminalExit",
		"terminal/kill": "KillTerminal",
		"terminal/release": "ReleaseTerminal",
	};
	return Object.fromEntries(Object.entries(names).map(([method, name]) => [method, definition(`${name}${part}`)]));
}

function definition(name: string): Validator {
	if (!(name in stable.$defs)) throw new Error(`the stable schema has no ${name}`);
	return z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs: stable.$defs } as z.core.JSONSchema.JSONSchema);
}
