import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { DocumentEdits } from "@segue/predict";
import type * as lsp from "@segue/protocol/lsp";
import { fileNameOf, sameUri } from "@segue/text";
import {
	acceptCommand,
	EVERYWHERE,
	LSP_COMMANDS,
	offerOffset,
	QUICK_FIX,
	REWRITE,
	workspaceEditToWire,
} from "./to-wire.js";

// Menus show a title on one line.
const TITLE_MAX = 90;

interface ActionScene {
	readonly offer: SuggestionOffer;
	/** The rename that the suggestion is part of. */
	readonly rename: readonly DocumentEdits[] | undefined;
	/** The document and line of the cursor. */
	readonly uri: string;
	readonly line: number;
	readonly kind: string;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
}

/** Returns code actions that apply the next edit, apply the whole rename, go to the edit and dismiss it. */
export function codeActionsFor(scene: ActionScene): lsp.CodeAction[] {
	const { offer, rename, kind, capabilities, encoding } = scene;
	const { id, suggestion, document } = offer;
	const { predictor, why } = suggestion;
	const data = { id, predictor, why };
	const title = actionTitle(scene);
	const actions: lsp.CodeAction[] = [];
	if (suggestion.kind === "edit") {
		const edit = workspaceEditToWire([{ document, edits: suggestion.edits }], capabilities, encoding);
		actions.push({ title: `Next edit: ${title}`, kind, isPreferred: true, edit, command: acceptCommand(id), data });
	}
	const places = placesOf(rename);
	if (places > editsOf(offer) && rename !== undefined) {
		const label = `${capitalized(ruleOf(offer))} in all ${places} places`;
		const edit = workspaceEditToWire(rename, capabilities, encoding, { label, description: "Next edit" });
		const where = rename.length > 1 ? ` across ${rename.length} files` : "";
		const command = { ...acceptCommand(id), arguments: [id, EVERYWHERE] };
		actions.push({ title: `${label}${where}`, kind, edit, command, data });
	}
	const mayGo = suggestion.kind !== "edit" || isElsewhere(scene);
	if (mayGo && capabilities.window?.showDocument?.support === true) {
		const going = suggestion.kind === "edit" ? "Go to next edit" : `Go to next edit: ${title}`;
		actions.push({
			title: going,
			kind,
			command: { title: going, command: LSP_COMMANDS.goTo, arguments: [id] },
			data,
		});
	}
	const dismiss = "Dismiss next edit";
	actions.push({
		title: dismiss,
		kind,
		command: { title: dismiss, command: LSP_COMMANDS.reject, arguments: [id] },
		data,
	});
	return actions;
}

/** Describes the edit, with its location if the cursor is elsewhere: "rename `cnt` to `count` on line 4 (2 more)". */
export function actionTitle(scene: Pick<ActionScene, "offer" | "rename" | "uri" | "line">): string {
	const { offer, rename } = scene;
	const { suggestion, document } = offer;
	const what = suggestion.predictor === "rename" ? ruleOf(offer) : suggestion.why;
	const line = document.text.lineAt(offerOffset(offer)) + 1;
	const file = isHere(scene) ? "" : ` in ${fileNameOf(document.uri)}`;
	const where = isElsewhere(scene) ? `${file} on line ${line}` : "";
	const more = placesOf(rename) - editsOf(offer);
	const left = more > 0 ? ` (${more} more)` : "";
	return `${shortened(what, TITLE_MAX - where.length - left.length)}${where}${left}`;
}

function ruleOf({ suggestion }: SuggestionOffer): string {
	const [, oldName, newName] = /^rename (\S+) to (\S+)$/.exec(suggestion.rules[0] ?? "") ?? [];
	return oldName === undefined ? suggestion.why : `rename \`${oldName}\` to \`${newName}\``;
}

function placesOf(rename: readonly DocumentEdits[] | undefined): number {
	return (rename ?? []).reduce((sum, { edits }) => sum + edits.length, 0);
}

function isHere({ offer, uri }: Pick<ActionScene, "offer" | "uri">): boolean {
	return sameUri(offer.document.uri, uri);
}

function editsOf({ suggestion }: SuggestionOffer): number {
	return suggestion.kind === "edit" ? suggestion.edits.length : 0;
}

function isElsewhere(scene: Pick<ActionScene, "offer" | "uri" | "line">): boolean {
	const { text } = scene.offer.document;
	return !isHere(scene) || text.lineAt(offerOffset(scene.offer)) !== scene.line;
}

/** Returns the kind for the actions, or undefined if the client requests only other kinds. */
export function kindFor(only: readonly string[] | undefined): string | undefined {
	return [QUICK_FIX, REWRITE].find((kind) => isRequested(kind, only));
}

/** Returns whether the client requests a kind. A requested kind includes its subkinds. */
function isRequested(kind: string, only: readonly string[] | undefined): boolean {
	if (only === undefined || only.length === 0) return true;
	return only.some((requested) => requested === "" || kind === requested || kind.startsWith(`${requested}.`));
}

function shortened(text: string, lengthMax: number): string {
	return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).trimEnd()}…`;
}

function capitalized(text: string): string {
	return text.slice(0, 1).toUpperCase() + text.slice(1);
}
