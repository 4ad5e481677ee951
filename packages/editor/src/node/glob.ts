// Longer than any path that somebody would write with a few stars in it.
const GLOB_LENGTH_MAX = 1000;
// More than anybody lists in braces.
const ALTERNATIVES_MAX = 100;

/**
 * What a glob matches, of paths from a folder on: `*` and `?` within a name, `**` for any folders, `{a,b}` for either. It takes
 * no longer than the lengths of glob and path times each other, whoever wrote it. Undefined for one that is too long or empty.
 */
export function globOf(written: string): ((path: string) => boolean) | undefined {
	if (written.length > GLOB_LENGTH_MAX) return undefined;
	const globs = alternativesOf(written.replace(/^(?:\.?\/)+/, ""));
	if (globs === undefined || globs.includes("")) return undefined;
	const split = globs.map((glob) => glob.split("/"));
	return (path) => {
		const names = path.split("/");
		return split.some((parts) => isLike(parts, names, (part) => part === "**", isNameLike));
	};
}

/** A glob with braces, written out. */
function alternativesOf(glob: string): string[] | undefined {
	const done: string[] = [];
	const open = [glob];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const [braces, listed = ""] = /\{([^{}]*,[^{}]*)\}/.exec(next) ?? [];
		if (braces === undefined) done.push(next);
		else open.push(...listed.split(",").map((one) => (next as string).replace(braces, () => one)));
		if (done.length + open.length > ALTERNATIVES_MAX) return undefined;
	}
	return done;
}

function isNameLike(part: string, name: string): boolean {
	return isLike(
		part,
		name,
		(sign) => sign === "*",
		(sign, letter) => sign === "?" || sign === letter,
	);
}

/** Whether a pattern with wildcards for any number of things is like those things: each step back is to the last wildcard. */
function isLike<Part, Thing>(
	pattern: ArrayLike<Part>,
	things: ArrayLike<Thing>,
	isAny: (part: Part) => boolean,
	isOne: (part: Part, thing: Thing) => boolean,
): boolean {
	let [at, any, taken] = [0, -1, 0];
	for (let i = 0; i < things.length; ) {
		if (at < pattern.length && isAny(pattern[at] as Part)) {
			any = at++;
			taken = i;
		} else if (at < pattern.length && isOne(pattern[at] as Part, things[i] as Thing)) {
			at++;
			i++;
		} else if (any >= 0) {
			at = any + 1;
			i = ++taken;
		} else return false;
	}
	while (at < pattern.length && isAny(pattern[at] as Part)) at++;
	return at === pattern.length;
}
