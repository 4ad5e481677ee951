import { uriKey } from "./uri.js";

// As long as Linux lets one be.
const PATH_LENGTH_MAX = 4096;

/**
 * The names on the way from a folder to what lies below it; none for the folder itself, undefined for what lies
 * elsewhere. Whoever trusts them asks first whether the uri is misleading.
 */
export function namesBelow(folder: string, uri: string): readonly string[] | undefined {
	const top = uriKey(folder).replace(/\/$/, "");
	const key = uriKey(uri);
	if (!key.startsWith(top) || (key.length > top.length && key[top.length] !== "/")) return undefined;
	return partsOf(key.slice(top.length)).map(decode);
}

/** A uri, as far as it is a path from a root on: `scheme://host/a/b`, or without a host. */
export class Path {
	private constructor(
		private readonly root: string,
		/** As they were written, because a name that is not UTF-8 cannot be written again. */
		private readonly parts: readonly string[],
		/** From the root on. */
		readonly names: readonly string[],
	) {}

	/** Undefined for what has no place among others. Whoever trusts a path asks first whether the uri is misleading. */
	static of(uri: string): Path | undefined {
		const written = ROOT.exec(uri)?.[0];
		const root = ROOT.exec(uriKey(uri))?.[0];
		if (written === undefined || root === undefined) return undefined;
		return new Path(written, partsOf(uri.slice(written.length)), partsOf(uriKey(uri).slice(root.length)).map(decode));
	}

	/** Without a slash at its end, even for a root. */
	get uri(): string {
		return [this.root, ...this.parts].join("/");
	}

	/** The folder that it lies in; a root lies in itself. */
	get above(): Path {
		return new Path(this.root, this.parts.slice(0, -1), this.names.slice(0, -1));
	}

	/** Where a path leads that is written in a file and read from here. Throws where it is too long. */
	to(written: string): Path {
		if (written.length > PATH_LENGTH_MAX) throw new RangeError("a path is too long");
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

/** Whether another reader could take a uri for a path somewhere else. */
export function isMisleading(uri: string): boolean {
	return MISLEADING.test(uriKey(uri));
}

// Names of nothing but dots, behind a slash of either kind, go up or nowhere; an escaped slash is a slash to those who
// decode first; a query or a fragment is no part of a path; browsers drop control characters before they look, and half
// a character has no bytes.
const MISLEADING = /[\\/]\.[. ]*(?:[\\/]|$)|%2F|[?#]|\p{Cc}|\p{Cs}/u;

function decode(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name; // bytes that are no UTF-8
	}
}
