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
