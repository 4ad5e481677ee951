import { uriKey } from "./uri.js";

// The maximum on Linux.
const PATH_LENGTH_MAX = 4096;

/**
 * Returns the names on the path from a folder to something below it: an empty list for the folder itself, undefined for
 * a URI elsewhere. Check `isMisleading` before trusting the result.
 */
export function namesBelow(folder: string, uri: string): readonly string[] | undefined {
	const top = uriKey(folder).replace(/\/$/, "");
	const key = uriKey(uri);
	if (!key.startsWith(top) || (key.length > top.length && key[top.length] !== "/")) return undefined;
	return partsOf(key.slice(top.length)).map(decode);
}

/** A URI as a path from a root: `scheme://host/a/b`, or without a host. */
export class Path {
	private constructor(
		private readonly root: string,
		/** The names as written, because a name that is not UTF-8 cannot be encoded again. */
		private readonly parts: readonly string[],
		/** The decoded names from the root. */
		readonly names: readonly string[],
	) {}

	/** Parses a URI. Returns undefined if it is not hierarchical. Check `isMisleading` before trusting a path. */
	static of(uri: string): Path | undefined {
		const written = ROOT.exec(uri)?.[0];
		const root = ROOT.exec(uriKey(uri))?.[0];
		if (written === undefined || root === undefined) return undefined;
		return new Path(written, partsOf(uri.slice(written.length)), partsOf(uriKey(uri).slice(root.length)).map(decode));
	}

	/** The URI without a trailing slash, even for a root. */
	get uri(): string {
		return [this.root, ...this.parts].join("/");
	}

	/** The parent folder; a root is its own parent. */
	get above(): Path {
		return new Path(this.root, this.parts.slice(0, -1), this.names.slice(0, -1));
	}

	/** Resolves a path that was found in a file, relative to this one. Throws a RangeError if it is too long. */
	to(written: string): Path {
		if (written.length > PATH_LENGTH_MAX) throw new RangeError("the path is too long");
		const isAbsolute = /^(?:[a-z]:)?\//i.test(written);
		let path = isAbsolute ? new Path(this.root, [], []) : (this as Path);
		for (const name of partsOf(written)) {
			if (name === "..") path = path.above;
			else if (name !== ".")
				path = new Path(this.root, [...path.parts, encodeURIComponent(name)], [...path.names, name]);
		}
		return path;
	}
}

const ROOT = /^[a-z][a-z\d+.-]*:(?:\/\/[^/]*)?(?=\/)/i;

function partsOf(path: string): string[] {
	return path.split("/").filter((part) => part !== "");
}

/** Whether another program could read a URI as a path somewhere else. */
export function isMisleading(uri: string): boolean {
	return MISLEADING.test(uriKey(uri));
}

// Names that consist only of dots, after a slash of either kind, refer to the parent folder or the same folder. An
// escaped slash becomes a slash after decoding. A query or fragment is not part of a path. Browsers drop control
// characters, and half of a surrogate pair cannot be encoded as bytes.
const MISLEADING = /[\\/]\.[. ]*(?:[\\/]|$)|%2F|[?#]|\p{Cc}|\p{Cs}/u;

function decode(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name; // not UTF-8
	}
}
