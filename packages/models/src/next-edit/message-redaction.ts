import type { Scene } from "@segue/predict";
import { uriKey } from "@segue/text";
import { isHome, promptPathOf } from "./prompt-path.js";
import { mayShow } from "./redaction.js";

// What is longer is a listing of types or of files, and says at its beginning what is wrong.
const MESSAGE_LENGTH_MAX = 500;

/**
 * A message about a document as a model may be told it: with the paths that the model is told for the files that it
 * mentions, and without those of which it may not know.
 */
export function redactMessage(message: string, scene: Scene): string {
	const short = message.slice(0, MESSAGE_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
	return withoutSpaces(short, scene).replace(MENTION, (mention) => {
		const flag = FLAG.exec(mention)?.[0] ?? "";
		const place = PLACE.exec(mention)?.[0] ?? "";
		return flag + redactMention(mention.slice(flag.length, mention.length - place.length), scene) + place;
	});
}

// What stands for a file that a model may not know of.
const HIDDEN = "…";

// A path or a URI in quotes, which may have spaces; or else whatever has a dot, a slash or a backslash in it.
const MENTION =
	/(?<=(['"`]))(?:file:|[a-z]:[\\/]|\\\\|~?\/)[^'"`\n]*(?=\1)|[^\s'"`<>|,;(){}[\]=]*[./\\][^\s'"`<>|,;]*/giu;

// What stands right before a path, as in "-I/usr/include".
const FLAG = /^(?:-\w+|:)(?=\/)/;

// A line and a column behind a path, and what ends a sentence.
const PLACE = /(?:[:(]\d[\d:,]*\)?)?[.,;:)\]!?]*$/;

function redactMention(mention: string, scene: Scene): string {
	const { workspace, document, ignored } = scene;
	const path = mention.replaceAll("\\", "/");
	if (/^https?:/i.test(path) || SIGN.test(path)) return mention;
	if (ABSOLUTE.test(path)) {
		const uri = uriOf(path);
		return isHome(uri) || !mayShow(uri, scene) ? HIDDEN : promptPathOf(uri, "", workspace, document.uri);
	}
	const folders = [document.uri, ...[workspace, ...workspace.folders].map(({ uri }) => `${uri}/`)];
	const uris = folders.flatMap((base) => (URL.canParse(path, base) ? [new URL(path, base).href] : []));
	const isOpen = [path, ...uris].every((uri) => mayShow(uri, { ignored }));
	return isOpen ? mention : HIDDEN;
}

// A closing tag, a comment or an operator, which has a slash like a path.
const SIGN = /^\/+\w*[*/]*$/;

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]+:\/|[a-z]:\/|~?\/)/i;

function uriOf(path: string): string {
	if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return path;
	const written = path.replace(/^~/, "").replace(/[?#]/g, encodeURIComponent);
	return written.startsWith("//") ? `file:${written}` : `file://${written.replace(/^(?!\/)/, "/")}`;
}

/** With the spaces in the folders that are known escaped, so that a path which goes through them is seen as one. */
function withoutSpaces(message: string, { workspace, document }: Scene): string {
	const uris = [document.uri, workspace.uri, ...workspace.folders.map(({ uri }) => uri)];
	const folders = uris.flatMap((uri = "") => {
		const parts = uriKey(uri)
			.replace(/^file:\/\/\/?(?=[a-z]:|\/)/i, "")
			.split("/");
		return parts.flatMap((part, i) => (part.includes(" ") ? [parts.slice(0, i + 1)] : []));
	});
	return folders
		.toSorted((a, b) => b.length - a.length)
		.map((parts) => parts.map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join("[\\\\/]"))
		.reduce((text, folder) => text.replace(new RegExp(folder, "gi"), (one) => one.replaceAll(" ", "%20")), message);
}
