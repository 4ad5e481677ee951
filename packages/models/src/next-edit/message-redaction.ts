import type { Scene } from "@segue/predict";
import { uriKey } from "@segue/text";
import { isHome, promptPathOf } from "./prompt-path.js";
import { mayShow } from "./redaction.js";

// Longer messages list types or files, but they describe the problem at the start.
const MESSAGE_LENGTH_MAX = 500;

/**
 * Prepares a diagnostic message for a model. Replaces paths with those used in prompts, and hides the names of files
 * that the model may not see.
 */
export function redactMessage(message: string, scene: Scene): string {
	const short = message.slice(0, MESSAGE_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "");
	return withoutSpaces(short, scene).replace(MENTION, (mention) => {
		const flag = FLAG.exec(mention)?.[0] ?? "";
		const place = PLACE.exec(mention)?.[0] ?? "";
		return flag + redactMention(mention.slice(flag.length, mention.length - place.length), scene) + place;
	});
}

// Replaces the path of a hidden file.
const HIDDEN = "…";

// A quoted path or URI, which may contain spaces, or any text that contains a dot, a slash or a backslash.
const MENTION =
	/(?<=(['"`]))(?:file:|[a-z]:[\\/]|\\\\|~?\/)[^'"`\n]*(?=\1)|[^\s'"`<>|,;(){}[\]=]*[./\\][^\s'"`<>|,;]*/giu;

// A flag directly before a path, as in "-I/usr/include".
const FLAG = /^(?:-\w+|:)(?=\/)/;

// A line and column after a path, and trailing punctuation.
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

// Closing tags, comments and operators, which contain a slash just as paths do.
const SIGN = /^\/+\w*[*/]*$/;

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]+:\/|[a-z]:\/|~?\/)/i;

function uriOf(path: string): string {
	if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return path;
	const written = path.replace(/^~/, "").replace(/[?#]/g, encodeURIComponent);
	return written.startsWith("//") ? `file:${written}` : `file://${written.replace(/^(?!\/)/, "/")}`;
}

/** Escapes spaces in the paths of known folders, so that a path below them is recognized as a single path. */
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
