import { GlobError, StepBudget } from "../glob.js";
import { isVirtualUri, sameUri, schemeOf, uriKey } from "../uri.js";
import { isMisleading, namesBelow, Path } from "../uri-path.js";
import { foldName, IgnoreFile } from "./ignore-file.js";
import { isSecretUri } from "./secret-files.js";

// More folders than a user has open files in. Beyond that everything is read again.
const FOLDERS_MAX = 10_000;
// Open documents, and what a search goes through. Beyond that links are followed again.
const RESOLVED_MAX = 10_000;
// Folders inside each other. Deeper paths are not made by people, and would take long to look up.
const DEPTH_MAX = 128;
// For all patterns that one path is matched with. Usual ignore files take some hundred; this many take about 5 ms.
const STEPS_MAX = 30_000;

/** In the order in which the later ones overrule the earlier ones. */
export const IGNORE_FILES = [".gitignore", ".ignore"];
/** Git's own, for a whole repository, which all others overrule. */
const EXCLUDE = "info/exclude";
/** What says where rules are, besides folders. */
const RULE_FILES = [...IGNORE_FILES, ".git", ".git/HEAD", `.git/${EXCLUDE}`].map((name) => `/${name}`);

/** How files are read. */
export interface Files {
	/**
	 * The text of a file; undefined where there is none, or it is not text. Symbolic links are not followed out of the
	 * workspace folders: whoever takes a suggestion for a file writes where its name says.
	 */
	read(uri: string): Promise<string | undefined>;
	/**
	 * The text of a file that says what is ignored, which may lie above the workspace folders; undefined only where there is
	 * none. It counts even if links lead to it or bytes in it are no text. A throw makes all private that it might speak
	 * of. Without this member `read` is asked.
	 */
	readRules?(uri: string): Promise<string | undefined>;
	/**
	 * The uri of a file or folder with all symbolic links followed. Links are followed as far as the path exists; the rest is
	 * kept as it is. A rejection makes the file private. Without this member files are private by their own names only.
	 */
	resolve?(uri: string): Promise<string>;
	/** What is directly in a folder. Symbolic links are left out, so that nothing is seen twice or outside. */
	list(uri: string): Promise<readonly { readonly uri: string; readonly isFolder: boolean }[]>;
}

/**
 * Decides which files no agent or model is shown: files with secret names, and files that git's rules ignore. Both the path
 * as it is written and the path behind all symbolic links count. The ignore files that apply are those from the file's folder
 * up to the top of its workspace folder, and from there up to the top of the repository.
 */
export class Privacy {
	/** The rules for what is in a folder, with those of the folders above, by `uriKey`. */
	private rules = new Map<string, Rules | Promise<Rules>>();
	/** Where files are behind all links, by `uriKey`: a uri in terms of the workspace folders. */
	private readonly resolved = new Map<string, string | Promise<string>>();

	constructor(
		private readonly files: Files | undefined,
		private readonly folders: () => readonly string[],
		/**
		 * Decides about schemes other than `file:` and `untitled:`, which only an editor can know. What it does not hide is
		 * still private by a secret name or an ignore file. Without it, all of them are private.
		 */
		private readonly hidesScheme: (uri: string) => boolean = () => true,
	) {}

	/**
	 * A slash at the end of a uri makes it a folder's. A uri without a scheme is a path, from the first workspace folder on
	 * where it is relative. Answers synchronously, unless an ignore file has to be read or a link followed first. If files
	 * cannot be read at all, only the name is known; if something should be there and cannot be read, everything that
	 * depends on it is private.
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

	/** The reason for a document that is private, for the user. */
	reasonOf(uri: string): "secret-file" | "virtual-file" | "ignored-file" {
		if (isSecretUri(uri)) return "secret-file";
		return isVirtualUri(uri) && this.hidesScheme(uri) ? "virtual-file" : "ignored-file";
	}

	/** Must be called for every file that was opened, saved, created, moved or deleted. Most of them change nothing here. */
	changed(uris: readonly string[]): void {
		const keys = uris.map((uri) => uriKey(uri).replace(/\/$/, ""));
		for (const key of keys) {
			for (const other of this.resolved.keys()) {
				// A folder may be a link now.
				if (other === key || other.startsWith(`${key}/`)) this.resolved.delete(other);
			}
		}
		// When a folder is created, moved or deleted, so are its ignore files.
		const changesRules = keys.some((key) => this.rules.has(key) || RULE_FILES.some((name) => key.endsWith(name)));
		if (changesRules) this.rules = new Map();
	}

	/** Reads everything again. Must be called when the folders of the workspace change. */
	forget(): void {
		this.rules = new Map();
		this.resolved.clear();
	}

	/** By the path as it is written. */
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
	 * Why a file is private although no pattern may speak of it: an ignore file exceeds a bound. A sentence for the user. Undefined for all
	 * others, and where the ignore files have not been read yet, which `isPrivate` does.
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
				// A link may have been changed while rules were read.
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

	/** A link may lead to a workspace folder, and a workspace folder may be a link: its ignore files apply all the same. */
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
				// While they were read, they may have been written anew.
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
		// Nothing in an ignored folder can be taken out again, so git does not look into it either.
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

	/** Whether no ignore file above a folder says anything of what is in it. */
	private async isTop(folder: Path): Promise<boolean> {
		if (folder.names.length === 0) return true;
		// The ignore files of a workspace folder hold for all that is in it, for other repositories too.
		if (this.folders().some((one) => (namesBelow(one, folder.uri)?.length ?? 0) > 0)) return false;
		return (await this.repositoryAt(folder)) !== undefined;
	}

	/** Where git keeps what it knows of the repository whose top is a folder; undefined if it is none's. */
	private async repositoryAt(folder: Path): Promise<Path | undefined> {
		const own = folder.to(".git");
		if ((await this.read(own.to("HEAD").uri)) !== undefined) return own;
		// Submodules and further working trees have a file there, which says where to look.
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

/** The ignore files for what is in a folder, from the innermost to the outermost. */
type Rules =
	/** The same for all of it: not ignored, ignored, or private for a reason, which is a sentence. */
	| { readonly all: boolean | string }
	/** A file, and how many names there are above its folder. */
	| { readonly outer: Rules; readonly depth: number; readonly file: IgnoreFile };

const NO_RULES: Rules = { all: false };

/** Whether something is ignored, if the folders that it lies in are not; a sentence for what is private because that takes too long to find out. */
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
		return "It is private: the patterns in its ignore files take too long to match.";
	}
}

/** The `file:` uri of a path, with slashes of either kind; undefined where it has none, or is relative and no folder is open. */
function fileUriOf(path: string, folder: string | undefined): string | undefined {
	const isDrive = /^[a-z]:/i.test(path);
	const slashed = isDrive || path.startsWith("\\") ? path.replaceAll("\\", "/") : path;
	// Half a character cannot be encoded, and two slashes begin with the name of another machine.
	if (/^\/\/|\p{Cs}/u.test(slashed)) return undefined;
	const written = slashed.split("/").map(encodeURIComponent).join("/");
	if (isDrive) return `file:///${written}`;
	if (slashed.startsWith("/")) return `file://${written}`;
	return folder === undefined ? undefined : `${folder.replace(/\/$/, "")}/${written}`;
}
