/**
 * Whether two URIs name the same document: percent-encoding, the case of scheme and drive letter, and an explicit
 * `localhost` make no difference. Paths are compared as written.
 */
export function sameUri(a: string, b: string): boolean {
	return a === b || uriKey(a) === uriKey(b);
}

/**
 * Returns a map key that is the same for all URIs that name the same document. The key is not a URI, so send the
 * original string.
 */
export function uriKey(uri: string): string {
	// Nearly all URIs are equal to their key, and this function is called for every document on every request.
	if (isPlain(uri)) return uri;
	const decoded = uri.replace(ESCAPE, decode);
	return decoded
		.replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) => scheme.toLowerCase())
		.replace(/^file:\/\/localhost\//i, "file:///")
		.replace(/^file:\/\/\/[a-z]:/i, (start) => start.toLowerCase());
}

/**
 * Returns the scheme in lower case, or undefined for a path, which some editors send instead of a URI. A single letter
 * before a colon is a drive letter.
 */
export function schemeOf(uri: string): string | undefined {
	return /^[a-z][a-z\d+.-]+(?=:)/i.exec(uri)?.[0].toLowerCase();
}

/**
 * Whether a document has an editor-specific scheme, such as `git:` or `vscode-remote:`, that only the editor
 * understands.
 */
export function isVirtualUri(uri: string): boolean {
	const scheme = schemeOf(uri);
	return scheme !== undefined && scheme !== "file" && scheme !== "untitled";
}

/** Returns the last part of a URI, decoded for display. */
export function fileNameOf(uri: string): string {
	const name = uri.slice(uri.lastIndexOf("/") + 1);
	try {
		return decodeURIComponent(name);
	} catch {
		return name; // not percent-encoded UTF-8
	}
}

const PLAIN_START = "file:///";

/** Whether this is a file URI without escapes and without a drive letter. */
function isPlain(uri: string): boolean {
	return uri.startsWith(PLAIN_START) && uri[PLAIN_START.length + 1] !== ":" && !uri.includes("%");
}

// An escaped UTF-8 character of one to four bytes, any other escaped byte, or a percent sign that escapes nothing.
const ESCAPE =
	/%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%(?:[\da-f]{2})?/gi;

// Characters that would change the URI's structure if unescaped.
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
 * Returns the address of a repository without credentials (user, password, query). Returns undefined if it is unclear
 * which part is secret. The `git@` in `git@host:path` is not a secret.
 */
export function withoutCredentials(remoteUrl: string): string | undefined {
	const [, user, place] = /^(?:([^\s@:/\\]+)@)?([^\s@:/\\]+:(?!\/\/)[^@]*)$/.exec(remoteUrl) ?? [];
	if (place !== undefined) return user === "git" ? remoteUrl : place;
	const [, scheme = "", rest = remoteUrl] = /^([a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?(.*)$/is.exec(remoteUrl) ?? [];
	// A password with an unescaped special character looks like a host or a path. Only the following @ reveals that it
	// is a password.
	if (rest.includes("@")) return undefined;
	return scheme === "" ? rest : scheme + rest.replace(/[?#].*$/s, "");
}
