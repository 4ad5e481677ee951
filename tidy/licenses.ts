import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { importsOf } from "./imports.js";
import type { Tree } from "./tree.js";

const TEXTS = "THIRD-PARTY-LICENSES.txt";

/**
 * Finds bundled packages without a licence text. The build takes its list from esbuild's metafile, so this rule uses
 * other sources: the command's source maps, and the page's imports, because the page has no source maps.
 */
export function findMissingLicenses(root: string, tree: Tree): string[] {
	const bundle = path.join(root, "packages", "cli", "bundle");
	const page = path.join(bundle, "page");
	if (!existsSync(path.join(page, "main.js"))) return ["packages/cli/bundle is not built: run npm run build"];
	const command = findMissingTexts("packages/cli/bundle", packagesInMaps(bundle), readTexts(bundle));
	const imported = Object.keys(tree).filter((file) => /^playground\/src\/.*(?<!\.test)\.tsx?$/.test(file));
	const names = imported.flatMap((file) => importsOf(tree[file] ?? "").filter(({ typeOnly }) => !typeOnly));
	const specifiers = names.map(({ specifier }) => specifier).filter((name) => /^(?!@segue\/|node:)[@a-z]/.test(name));
	return [...command, ...findMissingTexts("packages/cli/bundle/page", specifiers.map(nameOf), readTexts(page))];
}

/** Finds packages without a heading followed by a licence text. */
export function findMissingTexts(where: string, packages: readonly string[], texts: string): string[] {
	const sections = texts.split(/\n-{80}\n\n/).map((section) => {
		const [, name = "", text = ""] = /^(\S+) \S+ \([^)]*\)\n\n([\s\S]*)$/.exec(section) ?? [];
		return [name, text] as const;
	});
	const present = new Set(
		sections.flatMap(([name, text]) => (/copyright|permission|licen[cs]e/i.test(text) ? [name] : [])),
	);
	const missing = [...new Set(packages)].filter((name) => !present.has(name)).sort();
	return missing.map((name) => `${where}/${TEXTS} lacks the licence text of ${name}: see scripts/licenses.mjs`);
}

function packagesInMaps(bundle: string): string[] {
	const maps = readdirSync(bundle, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".map"));
	return maps.flatMap((file) => {
		const { sources }: { sources: string[] } = JSON.parse(readFileSync(path.join(bundle, file), "utf8"));
		return sources.flatMap((source) => {
			// Part of the SDK, but not published separately.
			if (source.includes("node_modules/@modelcontextprotocol/core-internal/")) return ["@modelcontextprotocol/core"];
			const inPackage = source.split("node_modules/").slice(1).at(-1);
			return inPackage === undefined ? [] : [nameOf(inPackage)];
		});
	});
}

/** Returns the package name at the start of a path or an import. */
function nameOf(specifier: string): string {
	return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function readTexts(folder: string): string {
	const file = path.join(folder, TEXTS);
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}
