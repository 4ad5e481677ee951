import { GlobError, StepBudget } from "../glob.js";
import { isVirtualUri, sameUri, schemeOf, uriKey } from "../uri.js";
import { isMisleading, namesBelow, Path } from "../uri-path.js";
import { foldName, IgnoreFile } from "./ignore-file.js";
import { isSecretUri } from "./secret-files.js";

// More folders than a user has open files in. Beyond this number, the cache is cleared.
const FOLDERS_MAX = 10_000;
// Enough for open documents and the files found by a search. Beyond this number, the cache is cleared.
const RESOLVED_MAX = 10_000;
// Maximum depth of folders. Deeper paths are not created by hand and would be slow to check.
const DEPTH_MAX = 128;
// Steps for matching one path with all patterns. Typical ignore files need a few hundred; this many take about 5 ms.
const STEPS_MAX = 30_000;

/** Later files override earlier ones. */
export const IGNORE_FILES = [".gitignore", ".ignore"];
/** Git's ignore file for a whole repository, which all others override. */
const EXCLUDE = "info/exclude";
/** Files that affect which rules apply. */
const RULE_FILES = [...IGNORE_FILES, ".git", ".git/HEAD", `.git/${EXCLUDE}`].map((name) => `/${name}`);

/** Larger files are not written by hand and would slow everything down. */
export const FILE_BYTES_MAX = 8 * 2 ** 20;

/** Access to files. */
export interface Files {
	/**
	 * Reads a text file. Returns undefined if it does not exist or is not text. Must not follow symbolic links out of the
	 * workspace folders, because an accepted suggestion is written to the path as given.
	 */
	read(uri: string): Promise<string | undefined>;
	/**
	 * Reads an ignore file, which may be above the workspace folders. Returns undefined only if it does not exist. Links
	 * are followed, and invalid bytes are ignored. An error makes everything private that the file could apply to.
	 * Defaults to `read`.
	 */
	readRules?(uri: string): Promise<string | undefined>;
	/**
	 * Follows all symbolic links in the path of a file or folder, as far as the path exists, and keeps the rest of the
	 * path. If this rejects, the file is private. If omitted, only the file's own name and path count.
	 */
	resolve?(uri: string): Promise<string>;
	/** Lists a folder without symbolic links, so that nothing outside it is visited and nothing is visited twice. */
	list(uri: string): Promise<readonly { readonly uri: string; readonly isFolder: boolean }[]>;
}

/**
 * Decides which files are hidden from agents and models: files with secret names, and files ignored by git's rules.
 * Both the path as written and the path with all symbolic links followed count. Ignore files apply from the file's
 * folder up to the top of its workspace folder, and from there up to the root of the repository.
 */
export class Privacy {
	/** The rules for the contents of each folder, including those of its parents, by `uriKey`. */
	private rules = new Map<string, Rules | Promise<Rules>>();
	/** The URIs of files after following all links, relative to the workspace folders if possible, by `uriKey`. */
	private readonly resolved = new Map<string, string | Promise<string>>();

	constructor(
		private readonly files: Files | undefined,
		private readonly folders: () => readonly string[],
		/**
		 * Decides about documents with schemes other than `file:` and `untitled:`, which only the editor understands.
		 * Documents that it does not hide can still be private because of a secret name or an ignore file. By default,
		 * all documents with such schemes are private.
		 */
		private readonly hidesScheme: (uri: string) => boolean = () => true,
	) {}

	/**
	 * Whether a file is private. A URI with a trailing slash is a folder. A URI without a scheme is a path; relative
	 * paths start at the first workspace folder. Returns synchronously unless an ignore file has to be read or a link
	 * followed. Without `files`, only the name counts. If something exists but cannot be read, everything that depends on
	 * it is private.
	 */
	isPrivate(uri: string): boolean | Promise<boolean> {
		if (isSecretUri(uri)) return true;
		const scheme = schemeOf(uri);
		if (uri === "" || scheme === "untitled") return false;
		if (scheme === undefined) {
			const file = fileUriOf(uri, this.folders()[0]);
			return file === undefined || this.isPrivate(file);
		}
		if (isVirtualUri(uri) && this.hidesScheme(uri)) return true;
		const byName = this.isPrivateByName(uri);
		if (byName === true || this.files?.resolve === undefined) return byName;
		const real = this.realOf(uri);
		if (typeof real !== "string" || byName instanceof Promise) return this.isPrivateBehindLinks(uri);
		return sameUri(real, uri) ? false : this.isPrivateByName(real);
	}

	/** Returns the reason why a document is private, to be shown to the user. */
	reasonOf(uri: string): "secret-file" | "virtual-file" | "ignored-file" {
		if (isSecretUri(uri)) return "secret-file";
		return isVirtualUri(uri) && this.hidesScheme(uri) ? "virtual-file" : "ignored-file";
	}

	/** Updates the caches. Must be called for every file that was opened, saved, created, moved or deleted. */
	changed(uris: readonly string[]): void {
		const keys = uris.map((uri) => uriKey(uri).replace(/\/$/, ""));
		for (const key of keys) {
			for (const other of this.resolved.keys()) {
				// A folder may have become a link.
				if (other === key || other.startsWith(`${key}/`)) this.resolved.delete(other);
			}
		}
		// Creating, moving or deleting a folder also affects the ignore files in it.
		const changesRules = keys.some((key) => this.rules.has(key) || RULE_FILES.some((name) => key.endsWith(name)));
		if (changesRules) this.rules = new Map();
	}

	/** Clears all caches. Must be called when the workspace folders change. */
	forget(): void {
		this.rules = new Map();
		this.resolved.clear();
	}

	/** Whether a file is private, judging by its path as written. */
	private isPrivateByName(uri: string): boolean | Promise<boolean> {
		if (isSecretUri(uri)) return true;
		const path = Path.of(uri);
		if (this.files === undefined || path === undefined || path.names.length === 0) return false;
		if (isMisleading(uri) || path.names.length > DEPTH_MAX) return true;
		if (path.names.some((name) => name.toLowerCase() === ".git")) return true;
		if (this.folders().some((folder) => namesBelow(folder, uri)?.length === 0)) return false;
		const rules = this.rulesIn(path.above);
		const isFolder = uri.endsWith("/");
		return rules instanceof Promise ? this.isIgnored(path, isFolder) : verdictOf(rules, path, isFolder) !== false;
	}

	/**
	 * Returns a sentence for the user if a file is private because an ignore file exceeds a limit. Returns undefined
	 * otherwise, or if `isPrivate` has not read the ignore files yet.
	 */
	problem(uri: string): string | undefined {
		const path = Path.of(uri);
		const rules = path && this.rules.get(uriKey(path.above.uri));
		if (path === undefined || rules === undefined || rules instanceof Promise) return undefined;
		const verdict = verdictOf(rules, path, uri.endsWith("/"));
		return typeof verdict === "string" ? verdict : undefined;
	}

	private async isPrivateBehindLinks(uri: string): Promise<boolean> {
		try {
			for (;;) {
				if (await this.isPrivateByName(uri)) return true;
				const real = await this.realOf(uri);
				const isPrivate = !sameUri(real, uri) && (await this.isPrivateByName(real));
				// A link may have changed while the rules were being read.
				if (isPrivate || this.resolved.get(uriKey(uri)) === real) return isPrivate;
			}
		} catch {
			return true;
		}
	}

	private realOf(uri: string): string | Promise<string> {
		const { resolved } = this;
		const key = uriKey(uri);
		const known = resolved.get(key);
		if (known !== undefined) return known;
		const resolving = this.resolve(uri);
		if (resolved.size >= RESOLVED_MAX) resolved.clear();
		resolved.set(key, resolving);
		const settle = (real?: string) => {
			if (resolved.get(key) !== resolving) return;
			if (real === undefined) resolved.delete(key);
			else resolved.set(key, real);
		};
		resolving.then(settle, () => settle());
		return resolving;
	}

	/**
	 * Follows links. If the result is in a workspace folder, which may itself be a link, returns a URI in that folder, so
	 * that its ignore files apply.
	 */
	private async resolve(uri: string): Promise<string> {
		const slash = uri.endsWith("/") ? "/" : "";
		const follow = async (one: string) => (await this.files?.resolve?.(one)) ?? one;
		const real = await follow(uri.replace(/\/$/, ""));
		for (const folder of this.folders()) {
			const names = namesBelow(await follow(folder.replace(/\/$/, "")), real);
			const within = names && Path.of(folder)?.to(names.join("/")).uri;
			if (within !== undefined) return within + slash;
		}
		return real + slash;
	}

	private async isIgnored(path: Path, isFolder: boolean): Promise<boolean> {
		try {
			for (;;) {
				const current = this.rules;
				const rules = await this.rulesIn(path.above);
				// The rules may have changed while they were being read.
				if (current === this.rules) return verdictOf(rules, path, isFolder) !== false;
			}
		} catch {
			return true;
		}
	}

	private rulesIn(folder: Path): Rules | Promise<Rules> {
		const { rules } = this;
		const key = uriKey(folder.uri);
		const known = rules.get(key);
		if (known !== undefined) return known;
		const reading = this.readRules(folder);
		if (rules.size >= FOLDERS_MAX) rules.clear();
		rules.set(key, reading);
		reading.then(
			(read) => rules.set(key, read),
			() => rules.delete(key),
		);
		return reading;
	}

	private async readRules(folder: Path): Promise<Rules> {
		const outer = (await this.isTop(folder)) ? NO_RULES : await this.rulesIn(folder.above);
		// Nothing in an ignored folder can be un-ignored, so git does not look inside it either.
		const verdict = verdictOf(outer, folder, true);
		if (verdict !== false) return { all: verdict };
		const repository = (await this.repositoryAt(folder)) ?? folder.to(".git");
		const files = [repository.to(EXCLUDE), ...IGNORE_FILES.map((name) => folder.to(name))];
		const texts = await Promise.all(files.map(({ uri }) => this.read(uri)));
		let rules = outer;
		for (const [i, text = ""] of texts.entries()) {
			try {
				const file = new IgnoreFile(text);
				if (!file.isEmpty) rules = { outer: rules, depth: folder.names.length, file };
			} catch (error) {
				if (!(error instanceof GlobError)) throw error;
				const name = `${folder.names.at(-1) ?? ""}/${files[i]?.names.slice(folder.names.length).join("/")}`;
				return {
					all: `Everything in this folder is private: the ignore file ${name} cannot be used, because ${error.message}.`,
				};
			}
		}
		return rules;
	}

	/** Whether ignore files above a folder have no effect on its contents. */
	private async isTop(folder: Path): Promise<boolean> {
		if (folder.names.length === 0) return true;
		// The ignore files of a workspace folder apply to everything in it, including other repositories.
		if (this.folders().some((one) => (namesBelow(one, folder.uri)?.length ?? 0) > 0)) return false;
		return (await this.repositoryAt(folder)) !== undefined;
	}

	/** Returns the git directory of the repository with this root, or undefined if the folder is not a root. */
	private async repositoryAt(folder: Path): Promise<Path | undefined> {
		const own = folder.to(".git");
		if ((await this.read(own.to("HEAD").uri)) !== undefined) return own;
		// In submodules and linked worktrees, this is a file that contains the location.
		const elsewhere = /^gitdir: (.+)/.exec((await this.read(own.uri)) ?? "")?.[1];
		if (elsewhere === undefined) return undefined;
		const repository = folder.to(elsewhere);
		const shared = await this.read(repository.to("commondir").uri);
		return shared === undefined ? repository : repository.to(shared.trimEnd());
	}

	private read(uri: string): Promise<string | undefined> | undefined {
		const { files } = this;
		return files?.readRules === undefined ? files?.read(uri) : files.readRules(uri);
	}
}

/** The ignore files for the contents of a folder, innermost first. */
type Rules =
	/** One result for everything: not ignored, ignored, or private for the reason given as a sentence. */
	| { readonly all: boolean | string }
	/** An ignore file, and the depth of its folder. */
	| { readonly outer: Rules; readonly depth: number; readonly file: IgnoreFile };

const NO_RULES: Rules = { all: false };

/**
 * Whether a path is ignored, assuming that its parent folders are not. Returns a sentence if the path is private
 * because matching takes too long.
 */
function verdictOf(rules: Rules, { names }: Path, isFolder: boolean): boolean | string {
	const folded = names.map(foldName);
	const budget = new StepBudget(STEPS_MAX);
	try {
		for (let at = rules; ; at = at.outer) {
			if ("all" in at) return at.all;
			const isIgnored = at.file.decide(folded.slice(at.depth).join("/"), isFolder, budget);
			if (isIgnored !== undefined) return isIgnored;
		}
	} catch (error) {
		if (!(error instanceof GlobError)) throw error;
		return "This file is private: the patterns in its ignore files take too long to match.";
	}
}

/**
 * Returns the `file:` URI of a path with slashes of either kind. Returns undefined if the path has no URI, or if it is
 * relative and no folder is open.
 */
function fileUriOf(path: string, folder: string | undefined): string | undefined {
	const isDrive = /^[a-z]:/i.test(path);
	const slashed = isDrive || path.startsWith("\\") ? path.replaceAll("\\", "/") : path;
	// Half a surrogate pair cannot be encoded, and a path with two leading slashes is on another machine.
	if (/^\/\/|\p{Cs}/u.test(slashed)) return undefined;
	const written = slashed.split("/").map(encodeURIComponent).join("/");
	if (isDrive) return `file:///${written}`;
	if (slashed.startsWith("/")) return `file://${written}`;
	return folder === undefined ? undefined : `${folder.replace(/\/$/, "")}/${written}`;
}
