import { type Connection, notification, on, request } from "@segue/rpc";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import {
	type Change,
	type ContentChange,
	diffTokens,
	type Encoding,
	offsetsOf,
	type Range,
	rangeAt,
	readContentChanges,
	type SyncKind,
	Text,
} from "@segue/text";
import { describe } from "vitest";
import * as z from "zod";
import { type DocumentEvent, FakeEditor } from "../editors/fake-editor.js";
import { connectPeers, settled } from "../rpc/peers.js";
import { storiesOn } from "./stories.js";

// Stories over a real connection: the user's edits pass through an editor, a connection and the agent's mirror, and
// suggestions come back with positions in wire form. The minimal agent suggests the edits that lead to the scripted
// model's text.

const position = z.object({ line: z.number(), character: z.number() });
const range = z.object({ start: position, end: position });
const didOpen = notification({
	method: "document/didOpen",
	from: "client",
	params: z.looseObject({ uri: z.string(), text: z.string() }),
});
const didChange = notification({
	method: "document/didChange",
	from: "client",
	params: z.looseObject({
		uri: z.string(),
		contentChanges: z.array(z.object({ range: range.optional(), text: z.string() })),
	}),
});
const suggest = request({
	method: "nes/suggest",
	from: "client",
	params: z.object({ uri: z.string(), modelSays: z.string() }),
	result: z.array(z.object({ range, newText: z.string() })),
});

class WirePlayer implements Player {
	private readonly client: Connection<"client">;
	private readonly mirror = new Map<string, Text>();
	private readonly replies = new Map<string, string>();
	private readonly editor: FakeEditor;
	private here = "";
	private offered: StorySuggestion | undefined;

	constructor(
		private readonly encoding: Encoding,
		syncKind: SyncKind,
	) {
		const { client } = connectPeers([
			on(didOpen, ({ uri, text }) => {
				this.mirror.set(uri, Text.of(text));
			}),
			on(didChange, ({ uri, contentChanges }) => {
				const text = this.mirrored(uri);
				this.mirror.set(uri, readContentChanges(text, contentChanges as ContentChange[], encoding).apply(text));
			}),
			on(suggest, ({ uri, modelSays }) => {
				const text = this.mirrored(uri);
				return diffTokens(text.toString(), modelSays).map(({ from, to, insert }) => ({
					range: rangeAt(text, from, to, encoding) as z.infer<typeof range>,
					newText: insert,
				}));
			}),
		]);
		this.client = client;
		const send = (event: DocumentEvent) => {
			if (event.method === "document/didOpen") client.notify(didOpen, event.params);
			else if (event.method === "document/didChange") client.notify(didChange, event.params as never);
		};
		this.editor = new FakeEditor({ sessionId: "s", encoding, syncKind, send });
	}

	async configure(_settings: StorySettings): Promise<void> {
		throw new Error("every story is played with every encoding and sync kind");
	}

	async open(path: string, text: Text, _view: StoryView): Promise<void> {
		this.here = path;
		this.editor.open(path, text.toString());
	}

	async change(path: string, change: Change, _view: StoryView): Promise<void> {
		this.here = path;
		this.editor.edit(path, change.edits);
	}

	async model(path: string, text: string): Promise<void> {
		this.replies.set(path, text);
	}

	async suggest(): Promise<StorySuggestion> {
		const path = this.here;
		const modelSays = this.replies.get(path);
		if (modelSays === undefined) return { kind: "nothing", reason: "no model" };
		const { text } = this.editor.document(path);
		const answer = await this.client.request(suggest, { uri: path, modelSays });
		const edits = answer.map((edit) => ({
			...offsetsOf(text, edit.range as Range, this.encoding),
			insert: edit.newText,
		}));
		this.offered = edits.length === 0 ? { kind: "nothing", reason: "no difference" } : { kind: "edit", path, edits };
		return this.offered;
	}

	async accept(): Promise<void> {
		if (this.offered?.kind === "edit") this.editor.edit(this.offered.path, this.offered.edits);
		await settled();
	}

	async reject(): Promise<void> {
		throw new Error("this agent does not support rejections");
	}

	async wait(): Promise<void> {
		throw new Error("this agent has no clock");
	}

	private mirrored(uri: string): Text {
		return this.mirror.get(uri) ?? Text.empty;
	}
}

const WIRES = (["utf-8", "utf-16", "utf-32"] as const).flatMap((encoding) =>
	(["incremental", "full"] as const).map((syncKind) => ({ encoding, syncKind })),
);

describe.each(WIRES)("over $encoding with $syncKind sync, the agent", ({ encoding, syncKind }) => {
	const story = storiesOn(() => new WirePlayer(encoding, syncKind));

	story(
		"suggests the model's text and mirrors the accepted edit",
		`
		--- user
		const ‹cnt→count▮› = "😀é" + 1
		log(cnt, "漢", cnt)
		--- model says
		const count = "😀é" + 1
		log(count, "漢", count)
		--- suggests
		const count = "😀é" + 1
		log(‹cnt→count›, "漢", ‹cnt→count›)
		--- user accepts
		--- suggests nothing (no difference)
	`,
	);

	story(
		"follows edits across every kind of line end",
		`
		--- user
		one␍
		😀 two␍three‹→ and😀▮›

		--- user types
		‹one→uno▮›␍
		😀 two␍three and😀

		--- model says
		uno␍
		😀 dos␍tres y😀

		--- suggests
		uno␍
		😀 ‹two→dos›␍‹three→tres› ‹and→y›😀

	`,
	);

	story(
		"reports the reason for no suggestion",
		`
		--- user
		a▮
		--- suggests nothing (no model)
	`,
	);
});
