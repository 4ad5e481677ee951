import { notification, request } from "@segue/rpc";
import * as z from "zod";
import { record } from "../tolerance.js";

// Clients of Copilot check who is signed in before they ask for edits. Segue knows no account, so everybody is.

const anything = z.unknown();
const signedIn = record({ status: z.string(), user: z.string() });

function account<const Method extends string>(method: Method) {
	return request({ method, from: "client", params: anything, result: signedIn });
}

export const checkStatus = account("checkStatus");
export const signIn = account("signIn");
export const signInInitiate = account("signInInitiate");
export const signInConfirm = account("signInConfirm");
export const signOut = account("signOut");

export const setEditorInfo = request({
	method: "setEditorInfo",
	from: "client",
	params: anything,
	result: z.literal("OK"),
});

export const getVersion = request({
	method: "getVersion",
	from: "client",
	params: anything,
	result: record({ version: z.string(), buildType: z.string(), runtimeVersion: z.string() }),
});

/** What is going on, or why there is no suggestion, for a status line. */
export const didChangeStatus = notification({
	method: "didChangeStatus",
	from: "agent",
	params: record({
		busy: z.boolean(),
		kind: z.enum(["Normal", "Error", "Warning", "Inactive"]),
		message: z.string(),
	}),
});
