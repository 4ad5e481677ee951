import { split } from "../message-split.js";
import { lineContent } from "./eca-2025-06.js";
import type { ContentItem, Encoder, SendContent } from "./encoder.js";

const FINISHED: ContentItem = { role: "system", content: { type: "progress", state: "finished" } };

/** Encodes the current version. */
export class CurrentEncoder implements Encoder {
	constructor(private readonly sendContent: SendContent) {}

	sendInTurn(item: ContentItem): void {
		this.send(item);
	}

	send(item: ContentItem): void {
		for (const each of split(item)) this.sendContent(each);
	}

	complete(): void {
		this.sendContent(FINISHED);
	}
}

/** Encodes the current version and adds the members of the first version. */
export class MergedEncoder implements Encoder {
	/** The running turn's metadata. */
	private metadata: { metadata?: { tokensUsed: number } } = {};

	constructor(
		private readonly sendContent: SendContent,
		private readonly isTextOnly: () => boolean,
	) {}

	sendInTurn(item: ContentItem): void {
		if (item.content.type === "usage") this.metadata = { metadata: { tokensUsed: item.content.sessionTokens } };
		this.sendAll(item, this.metadata);
	}

	send(item: ContentItem): void {
		this.sendAll(item, {});
	}

	complete(): void {
		this.sendContent({ ...FINISHED, isComplete: true, ...this.metadata });
		this.metadata = {};
	}

	/** Also sends approval requests as text for the client from June 2025, which shows only text. */
	private sendAll(item: ContentItem, metadata: MergedEncoder["metadata"]): void {
		const { role, request } = item;
		const asText = request === undefined || !this.isTextOnly() ? [] : [{ role, content: lineContent(request) }];
		for (const each of [withDiffOnly(item), ...asText].flatMap(split)) {
			this.sendContent({ ...each, isComplete: false, ...metadata });
		}
	}
}

/**
 * Removes the details of a call that needs approval, unless they are a file change, because the Neovim client always
 * reads `details.diff` and its approval prompt fails without a diff. The arguments contain the same information.
 */
function withDiffOnly(item: ContentItem): ContentItem {
	const { content } = item;
	if (content.type !== "toolCallRun" || !content.manualApproval || content.details?.type === "fileChange") return item;
	const { details: _unread, ...others } = content;
	return { ...item, content: others };
}
