/**
 * Whether two URIs name the same document: percent-encoding, the case of scheme and drive letter, and an explicit
 * `localhost` make no difference. Paths are compared as they are written.
 */
export function sameUri(a: string, b: string): boolean {
	return a === b || uriKey(a) === uriKey(b);
}

/** A key for maps, equal for URIs that name the same document. It is not a URI: on the wire goes the original string. */
export function uriKey(uri: string): string {
	// Nearly all are written as their key is, and this is asked for every document on every request.
	if (isPlain(uri)) return uri;
	const decoded = uri.replace(ESCAPE, decode);
	return decoded
		.replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) => scheme.toLowerCase())
		.replace(/^file:\/\/localhost\//i, "file:///")
		.replace(/^file:\/\/\/[a-z]:/i, (start) => start.toLowerCase());
}

/**
 * The scheme in lower case; undefined for a path, as some editors send one instead of a URI. A single letter before a colon
 * is a drive.
 */
export function schemeOf(uri: string): string | undefined {
	return /^[a-z][a-z\d+.-]+(?=:)/i.exec(uri)?.[0].toLowerCase();
}

/** Whether a document has a scheme of its own editor, such as `git:` or `vscode-remote:`: only that editor knows what it is. */
export function isVirtualUri(uri: string): boolean {
	const scheme = schemeOf(uri);
	return scheme !== undefined && scheme !== "file" && scheme !== "untitled";
}

const PLAIN_START = "file:///";

/** Whether a URI is of a file, nothing of it is escaped, and it has no drive letter. */
function isPlain(uri: string): boolean {
	return uri.startsWith(PLAIN_START) && uri[PLAIN_START.length + 1] !== ":" && !uri.includes("%");
}

// A character that UTF-8 writes in one to four bytes; else a byte; else a percent sign that escapes nothing.
const ESCAPE =
	/%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%(?:[\da-f]{2})?/gi;

// Characters that would change the URI's structure if they were written out.
const DELIMITER = /[%/?#]/;

function decode(escaped: string): string {
	if (escaped === "%") return "%25";
	try {
		const character = decodeURIComponent(escaped);
		return DELIMITER.test(character) ? escaped.toUpperCase() : character;
	} catch {
		return escaped.toUpperCase(); // not UTF-8: only the case of the digits can differ
	}
}

/**
 * The address of a repository without what only its owner should know: user, password, query. Undefined where it cannot
 * be told what is a secret. The `git@` of `git@host:path` is a name that everybody has.
 */
export function withoutCredentials(remoteUrl: string): string | undefined {
	const [, user, place] = /^(?:([^\s@:/\\]+)@)?([^\s@:/\\]+:(?!\/\/)[^@]*)$/.exec(remoteUrl) ?? [];
	if (place !== undefined) return user === "git" ? remoteUrl : place;
	const [, scheme = "", rest = remoteUrl] = /^([a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?(.*)$/is.exec(remoteUrl) ?? [];
	// A password with a character that belongs escaped looks like a host or a path, and only its @ gives it away.
	if (rest.includes("@")) return undefined;
	return scheme === "" ? rest : scheme + rest.replace(/[?#].*$/s, "");
}
