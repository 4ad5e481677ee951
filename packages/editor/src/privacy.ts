import { isSecretUri, uriKey } from "@segue/text";
import ignore, { type Ignore } from "ignore";
import { isMisleading, namesBelow, uriBelow } from "./folder.js";
import type { Files } from "./host.js";

// More folders than anybody has files of in a day's work. Beyond that everything is read again.
const FOLDERS_MAX = 10_000;

/** In the order in which the later ones overrule the earlier ones. */
const IGNORE_FILES = [".gitignore", ".ignore"];
/** Git's own, which is for a whole repository and is overruled by all others. */
const EXCLUDE = [".git", "info", "exclude"];

/**
 * Decides what no agent is told of: files whose names say that they are secret, and files that the workspace ignores, by
 * git's rules.
 */
export class Privacy {
	/** The rules for what is in a folder, with those of the folders above, by workspace folder and path. */
	private readonly rules = new Map<string, Ignore | Promise<Ignore>>();

	constructor(
		private readonly files: Files | undefined,
		private readonly folders: () => readonly string[],
	) {}

	/**
	 * A slash at the end of a uri makes it a folder's. Answers at once, unless an ignore file has to be read first. Of a
	 * file outside the workspace, or if files cannot be read, only the name is known.
	 */
	isPrivate(uri: string): boolean | Promise<boolean> {
		if (isSecretUri(uri)) return true;
		const place = this.files && this.placeOf(uri);
		if (place === undefined) return false;
		const { folder, names } = place;
		if (isMisleading(uri) || names.some((name) => name.toLowerCase() === ".git")) return true;
		if (names.length === 0) return false;
		const path = names.join("/") + (uri.endsWith("/") ? "/" : "");
		const rules = this.rulesIn(folder, names.slice(0, -1));
		return rules instanceof Promise ? rules.then((them) => them.ignores(path)) : rules.ignores(path);
	}

	/** To be told of every file that was saved, made or deleted; those that are no ignore files make no difference. */
	forget(uri: string): void {
		const name = uriKey(uri).split("/").at(-1) ?? "";
		if (IGNORE_FILES.includes(name) || uriKey(uri).endsWith(`/${EXCLUDE.join("/")}`)) this.rules.clear();
	}

	/** Of workspace folders inside each other the outermost counts, because its ignore files hold for all of them. */
	private placeOf(uri: string): { folder: string; names: readonly string[] } | undefined {
		let place: { folder: string; names: readonly string[] } | undefined;
		for (const folder of this.folders()) {
			const names = namesBelow(folder, uri);
			if (names !== undefined && names.length >= (place?.names.length ?? 0)) place = { folder, names };
		}
		return place;
	}

	private rulesIn(folder: string, names: readonly string[]): Ignore | Promise<Ignore> {
		const key = `${uriKey(folder)}\n${names.join("/")}`;
		const known = this.rules.get(key);
		if (known !== undefined) return known;
		const reading = this.readRules(folder, names).then((rules) => {
			// Unless it was forgotten in the meantime.
			if (this.rules.get(key) === reading) this.rules.set(key, rules);
			return rules;
		});
		if (this.rules.size >= FOLDERS_MAX) this.rules.clear();
		this.rules.set(key, reading);
		return reading;
	}

	private async readRules(folder: string, names: readonly string[]): Promise<Ignore> {
		const isTop = names.length === 0;
		const outer = isTop ? NO_RULES : await this.rulesIn(folder, names.slice(0, -1));
		// Nothing in an ignored folder can be taken out again, so git does not look into it either.
		if (!isTop && outer.ignores(`${names.join("/")}/`)) return outer;
		const paths = IGNORE_FILES.map((name) => [...names, name]);
		const texts = (isTop ? [EXCLUDE, ...paths] : paths).map((path) => this.read(uriBelow(folder, path)));
		const patterns = (await Promise.all(texts)).flatMap((text) => patternsOf(text, names));
		return patterns.length === 0 ? outer : ignore().add(outer).add(patterns);
	}

	/** A host that fails to read a file says as much as one that has none. */
	private async read(uri: string): Promise<string> {
		try {
			return (await this.files?.read(uri)) ?? "";
		} catch {
			return "";
		}
	}
}

const NO_RULES = ignore();

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
			const [, not = "", pattern = ""] = /^(!?)(.*?)(?<!\\) *$/s.exec(line) ?? [];
			if (/^\/*$/.test(pattern)) return [];
			if (above === "") return [not + pattern];
			// A slash that is not at the end ties a pattern to its folder; another one holds below it at any depth.
			const isTied = /\/./.test(pattern);
			return [`${not}${above}${isTied ? "/" : "/**/"}${pattern.replace(/^\//, "")}`];
		});
}
