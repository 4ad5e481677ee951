import type * as eca from "@segue/protocol/eca";
import { Encoder202506 } from "./eca-2025-06.js";
import { CurrentEncoder, MergedEncoder } from "./eca-current.js";
import type { Encoder, SendContent } from "./encoder.js";

/** The version of the protocol that an editor speaks: its first specification, the current one, or the current one with all of the first. */
export type EcaVersion = "2025-06-09" | "current" | "merged";

const VERSIONS: readonly EcaVersion[] = ["2025-06-09", "current", "merged"];

/** Which version an editor speaks; `said` is set where the program that starts the server knows it. */
export function ecaVersionOf(
	{ initializationOptions, capabilities }: eca.InitializeParams,
	said: EcaVersion | undefined,
): EcaVersion {
	const options = initializationOptions ?? {};
	const explicit = said ?? VERSIONS.find((version) => version === options["protocol"]);
	if (explicit !== undefined) return explicit;
	const { doc, edit, fix, rewrite, editor, chatCapabilities } = capabilities?.codeAssistant ?? {};
	const isSaid = (...members: readonly unknown[]) => members.some((member) => member != null);
	// No current editor has any of these.
	if (isSaid(doc, edit, fix)) return "2025-06-09";
	if (isSaid(rewrite, editor, chatCapabilities, ...CHAT_AGENT.map((key) => options[key]))) return "current";
	return "merged";
}

/** How current editors name the agent of new chats, in the present word and the one before, as they spell keys. */
const CHAT_AGENT = ["chatAgent", "chat-agent", "chatBehavior", "chat-behavior"];

/** `isTextOnly` is whether the client has shown no sign yet that it can show a tool call and answer it. */
export function encoderFor(version: EcaVersion, isTextOnly: () => boolean, send: SendContent): Encoder {
	switch (version) {
		case "current":
			return new CurrentEncoder(send);
		case "merged":
			return new MergedEncoder(send, isTextOnly);
		case "2025-06-09":
			return new Encoder202506(send);
	}
}

/** Why a prompt is not answered as it should be. */
export interface PromptProblem {
	/** Whether the user has to sign in, or something else. */
	readonly kind: "login" | "error";
	/** A sentence for the user. */
	readonly why: string;
}

/** The immediate response to a prompt. */
export function promptResult(
	version: EcaVersion,
	chatId: eca.ChatId,
	model: string | undefined,
	problem: PromptProblem | undefined,
): eca.PromptResult {
	const answer = { chatId, model: model ?? (problem?.kind === "error" ? "error" : "") };
	if (version === "current") return { ...answer, status: problem?.kind ?? "prompting" };
	const resultMessage = problem?.why ?? "The prompt was sent.";
	if (problem === undefined) return { ...answer, status: "success", resultMessage };
	const isLogin = version === "merged" && problem.kind === "login";
	return { ...answer, status: isLogin ? "login" : "connection-error", resultMessage };
}
