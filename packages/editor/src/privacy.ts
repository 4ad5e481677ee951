import { isSecretUri, uriKey } from "@segue/text";
import ignore, { type Ignore } from "ignore";
import { isMisleading, namesBelow, Path } from "./folder.js";
import type { Files } from "./host.js";

// More folders than anybody has files of in a day's work. Beyond that everything is read again.
const FOLDERS_MAX = 10_000;
// Folders inside each other. What lies deeper was put there by no person, and would take long to look up.
const DEPTH_MAX = 128;

/** In the order in which the later ones overrule the earlier ones. */
const IGNORE_FILES = [".gitignore", ".ignore"];
/** Git's own, for a whole repository, which all others overrule. */
const EXCLUDE = "info/exclude";
/** What says where rules are, besides folders. */
const RULE_FILES = [...IGNORE_FILES, ".git", ".git/HEAD", `.git/${EXCLUDE}`].map((name) => `/${name}`);

/**
 * Decides what no agent is told of: files whose names say that they are secret, and files that are ignored, by git's
 * rules. The ignore files that count are those from the file's folder up to the top of the workspace folder that it is
 * in, and from there up to the top of the repository.
 */
export class Privacy {
	/** The rules for what is in a folder, with those of the folders above, by `uriKey`. */
	private rules = new Map<string, Rules | Promise<Rules>>();

	constructor(
		private readonly files: Files | undefined,
		private readonly folders: () => readonly string[],
	) {}

	/**
	 * A slash at the end of a uri makes it a folder's. Answers at once, unless an ignore file has to be read first. If files
	 * cannot be read at all, only the name is known; if a file should be there and cannot be read, everything is private
	 * that it might speak of.
	 */
	isPrivate(uri: string): boolean | Promise<boolean> {
		if (isSecretUri(uri)) return true;
		const path = Path.of(uri);
		if (this.files === undefined || path === undefined || path.names.length === 0) return false;
		if (isMisleading(uri) || path.names.length > DEPTH_MAX) return true;
		if (path.names.some((name) => name.toLowerCase() === ".git")) return true;
		if (this.folders().some((folder) => namesBelow(folder, uri)?.length === 0)) return false;
		const rules = this.rulesIn(path.above);
		const isFolder = uri.endsWith("/");
		return rules instanceof Promise ? this.isIgnored(path, isFolder) : ignores(rules, path, isFolder);
	}

	/** To be told of all that was saved, made, moved or deleted. Most of it makes no difference. */
	changed(uris: readonly string[]): void {
		const isRelevant = uris.some((uri) => {
			const key = uriKey(uri).replace(/\/$/, "");
			// With a folder its ignore files come and go.
			return this.rules.has(key) || RULE_FILES.some((name) => key.endsWith(name));
		});
		if (isRelevant) this.forget();
	}

	/** Reads everything again: to be called when the folders of the workspace are others. */
	forget(): void {
		this.rules = new Map();
	}

	private async isIgnored(path: Path, isFolder: boolean): Promise<boolean> {
		try {
			for (;;) {
				const current = this.rules;
				const rules = await this.rulesIn(path.above);
				// While they were read, they may have been written anew.
				if (current === this.rules) return ignores(rules, path, isFolder);
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
		if (ignores(outer, folder, true)) return outer;
		const repository = (await this.repositoryAt(folder)) ?? folder.to(".git");
		const files = [repository.to(EXCLUDE), ...IGNORE_FILES.map((name) => folder.to(name))];
		const texts = await Promise.all(files.map(({ uri }) => this.read(uri)));
		const top = outer === NO_RULES ? folder.names.length : outer.top;
		const patterns = texts.flatMap((text = "") => patternsOf(text, folder.names.slice(top)));
		return patterns.length === 0 ? outer : { top, patterns: ignore().add(outer.patterns).add(patterns) };
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

interface Rules {
	/** How many names there are above the outermost folder that has any patterns. */
	readonly top: number;
	/** As they would stand in an ignore file there. */
	readonly patterns: Ignore;
}

const NO_RULES: Rules = { top: 0, patterns: ignore() };

function ignores(rules: Rules, { names }: Path, isFolder: boolean): boolean {
	return rules !== NO_RULES && rules.patterns.ignores(names.slice(rules.top).join("/") + (isFolder ? "/" : ""));
}

/**
 * The patterns of an ignore file, written so that they can stand in one at the top: there, git's rule that the last
 * pattern decides is also the rule that the innermost file does.
 */
function patternsOf(text: string, names: readonly string[]): string[] {
	const above = names.map((name) => `/${name.replace(/[\\*?[]/g, "\\$&")}`).join("");
	return text
		.replace(/^\ufeff/, "")
		.split(/\r?\n/)
		.flatMap((line) => {
			if (line.startsWith("#")) return [];
			const [, not = "", written = ""] = /^(!?)(.*?)(?<!\\) *$/s.exec(line) ?? [];
			if (/^\/*$/.test(written)) return [];
			// What was no UTF-8 can stand for anything, but not to take something out again.
			if (not && written.includes(UNREADABLE)) return [];
			const pattern = written.replaceAll(UNREADABLE, "*");
			if (above === "") return [not + pattern];
			// A slash that is not at the end ties a pattern to its folder; another one holds below it at any depth.
			const isTied = /\/./.test(pattern);
			return [`${not}${above}${isTied ? "/" : "/**/"}${pattern.replace(/^\//, "")}`];
		});
}

/** What decoders put in place of bytes that they cannot read. */
const UNREADABLE = "\ufffd";
