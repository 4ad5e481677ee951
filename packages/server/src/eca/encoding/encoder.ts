import type * as eca from "@segue/protocol/eca";
import type { ContentItem, EcaVersion } from "../eca-session.js";
import { split } from "../message-split.js";
import { Encoder202506, line } from "./eca-2025-06.js";

const VERSIONS: readonly EcaVersion[] = ["2025-06-09", "current", "merged"];

/** Which form of the protocol an editor speaks; `said` is what whoever started us says of it. */
export function ecaVersionOf(
	{ initializationOptions, capabilities }: eca.InitializeParams,
	said: EcaVersion | undefined,
): EcaVersion {
	const options = initializationOptions ?? {};
	const explicit = said ?? VERSIONS.find((form) => form === options["protocol"]);
	if (explicit !== undefined) return explicit;
	const { doc, edit, fix, rewrite, editor, chatCapabilities } = capabilities?.codeAssistant ?? {};
	const isSaid = (...members: readonly unknown[]) => members.some((member) => member != null);
	// No editor of today has any of these.
	if (isSaid(doc, edit, fix)) return "2025-06-09";
	if (isSaid(rewrite, editor, chatCapabilities, ...CHAT_AGENT.map((key) => options[key]))) return "current";
	return "merged";
}

/** How editors of today name the agent of new chats, in today's word and the one before, as they spell keys. */
const CHAT_AGENT = ["chatAgent", "chat-agent", "chatBehavior", "chat-behavior"];

/** How the pieces of one chat are told. */
export interface Encoder {
	/** A piece of the turn that is under way. */
	tell(piece: ContentItem): void;
	/** A piece of none. */
	show(piece: ContentItem): void;
	/** The turn is over. */
	complete(): void;
}

export type Send = (received: Omit<eca.ContentReceived, "chatId">) => void;

/** `isTextOnly` is whether the client has shown no sign yet that it can show a tool call and answer it. */
export function encoderFor(form: EcaVersion, isTextOnly: () => boolean, send: Send): Encoder {
	switch (form) {
		case "current":
			return new CurrentEncoder(send);
		case "merged":
			return new MergedEncoder(send, isTextOnly);
		case "2025-06-09":
			return new Encoder202506(send);
	}
}

const FINISHED: ContentItem = { role: "system", content: { type: "progress", state: "finished" } };

class CurrentEncoder implements Encoder {
	constructor(private readonly send: Send) {}

	tell(piece: ContentItem): void {
		this.show(piece);
	}

	show(piece: ContentItem): void {
		for (const each of split(piece)) this.send(each);
	}

	complete(): void {
		this.send(FINISHED);
	}
}

/** Today's pieces, with all that the first form says besides. */
class MergedEncoder implements Encoder {
	/** Of the turn that is under way. */
	private metadata: { metadata?: { tokensUsed: number } } = {};

	constructor(
		private readonly send: Send,
		private readonly isTextOnly: () => boolean,
	) {}

	tell(piece: ContentItem): void {
		if (piece.content.type === "usage") this.metadata = { metadata: { tokensUsed: piece.content.sessionTokens } };
		this.sendAll(piece, this.metadata);
	}

	show(piece: ContentItem): void {
		this.sendAll(piece, {});
	}

	complete(): void {
		this.send({ ...FINISHED, isComplete: true, ...this.metadata });
		this.metadata = {};
	}

	/** The client of June 2025 shows texts only. */
	private sendAll(piece: ContentItem, metadata: MergedEncoder["metadata"]): void {
		const { role, request } = piece;
		const asText = request === undefined || !this.isTextOnly() ? [] : [{ role, content: line(request) }];
		for (const each of [withDiffOnly(piece), ...asText].flatMap(split)) {
			this.send({ ...each, isComplete: false, ...metadata });
		}
	}
}

/**
 * A call that waits for approval, without details other than a file change: the Neovim client reads `details.diff` of all
 * details, and fails to ask if there is none. The arguments show the same.
 */
function withDiffOnly(piece: ContentItem): ContentItem {
	const { content } = piece;
	if (content.type !== "toolCallRun" || !content.manualApproval || content.details?.type === "fileChange") return piece;
	const { details: _unread, ...others } = content;
	return { ...piece, content: others };
}

/** Why a prompt is not answered as it should be. */
export interface PromptProblem {
	/** Whether the user has to sign in, or something else. */
	readonly kind: "login" | "error";
	/** A sentence for a person. */
	readonly why: string;
}

/** What a prompt is answered with at once. */
export function promptResult(
	form: EcaVersion,
	chatId: eca.ChatId,
	model: string | undefined,
	trouble: PromptProblem | undefined,
): eca.PromptResult {
	const answer = { chatId, model: model ?? (trouble?.kind === "error" ? "error" : "") };
	if (form === "current") return { ...answer, status: trouble?.kind ?? "prompting" };
	const resultMessage = trouble?.why ?? "The prompt was sent.";
	if (trouble === undefined) return { ...answer, status: "success", resultMessage };
	const isLogin = form === "merged" && trouble.kind === "login";
	return { ...answer, status: isLogin ? "login" : "connection-error", resultMessage };
}
