import type * as eca from "@segue/protocol/eca";
import { Encoder202506 } from "./eca-2025-06.js";
import { CurrentEncoder, MergedEncoder } from "./eca-current.js";
import type { Encoder, SendContent } from "./encoder.js";

/** The editor's version of the protocol: the first specification, the current one, or both merged. */
export type EcaVersion = "2025-06-09" | "current" | "merged";

const VERSIONS: readonly EcaVersion[] = ["2025-06-09", "current", "merged"];

/** Returns the editor's version of the protocol. `override` comes from the command line. */
export function ecaVersionOf(
	{ initializationOptions, capabilities }: eca.InitializeParams,
	override: EcaVersion | undefined,
): EcaVersion {
	const options = initializationOptions ?? {};
	const explicit = override ?? VERSIONS.find((version) => version === options["protocol"]);
	if (explicit !== undefined) return explicit;
	const { doc, edit, fix, rewrite, editor, chatCapabilities } = capabilities?.codeAssistant ?? {};
	const hasAny = (...members: readonly unknown[]) => members.some((member) => member != null);
	// Current editors don't send any of these.
	if (hasAny(doc, edit, fix)) return "2025-06-09";
	if (hasAny(rewrite, editor, chatCapabilities, ...CHAT_AGENT.map((key) => options[key]))) return "current";
	return "merged";
}

/**
 * The option that sets the agent for new chats in current editors, under its current and former names in both
 * spellings.
 */
const CHAT_AGENT = ["chatAgent", "chat-agent", "chatBehavior", "chat-behavior"];

/** `isTextOnly` returns whether the client may be unable to show and approve tool calls. */
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

/** The reason why a prompt cannot run. */
export interface PromptProblem {
	/** `login` if the user has to sign in. */
	readonly kind: "login" | "error";
	/** A message for the user. */
	readonly why: string;
}

/** Returns the immediate response to a prompt. */
export function promptResult(
	version: EcaVersion,
	chatId: eca.ChatId,
	model: string | undefined,
	problem: PromptProblem | undefined,
): eca.PromptResult {
	const result = { chatId, model: model ?? (problem?.kind === "error" ? "error" : "") };
	if (version === "current") return { ...result, status: problem?.kind ?? "prompting" };
	const resultMessage = problem?.why ?? "The prompt was sent.";
	if (problem === undefined) return { ...result, status: "success", resultMessage };
	const isLogin = version === "merged" && problem.kind === "login";
	return { ...result, status: isLogin ? "login" : "connection-error", resultMessage };
}
