// Collects the licence texts of the packages in a bundle.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Name of the file that accompanies each bundle. */
export const LICENSES_FILE = "THIRD-PARTY-LICENSES.txt";

const SEPARATOR = `\n${"-".repeat(80)}\n\n`;

/**
 * Returns the licence texts of all packages with code in the output of these builds, each under its name and version.
 * The packages are those listed in esbuild's metafiles, and those already bundled into other packages, which are named
 * only in source maps. The latter are not installed, so their texts are in `embedded-licenses.txt`. Throws an error if
 * a package's text cannot be found.
 */
export function licenseTexts(root, metafiles) {
	const inputs = new Set(
		metafiles
			.flatMap(({ outputs }) => Object.values(outputs))
			.flatMap(({ inputs }) => Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0))
			.map(([file]) => file),
	);
	const installed = [...inputs].map(packageFolderOf).filter((folder) => folder !== undefined);
	// Two copies of the same version have the same text.
	const sections = new Map([...new Set(installed)].map((folder) => sectionOf(root, path.resolve(root, folder))));
	const embedded = readEmbedded(root);
	for (const name of embeddedPackages(root, metafiles)) {
		const section = embedded.get(name);
		if (section === undefined) throw new Error(`${name} has no licence text. Add it to scripts/embedded-licenses.txt`);
		sections.set(name, section);
	}
	const sorted = [...sections].sort(([a], [b]) => (a < b ? -1 : 1));
	return sorted.map(([, section]) => section).join(SEPARATOR);
}

/** Returns the folder of the package that an input belongs to. Undefined for Segue's own sources. */
function packageFolderOf(file) {
	const [, folder] = /^(?:[\w-]+:)?(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/")) ?? [];
	return folder;
}

/**
 * Returns the names and versions of packages that are bundled into other packages. Those were built with pnpm, so the
 * paths contain both.
 */
function embeddedPackages(root, metafiles) {
	const maps = metafiles.flatMap(({ outputs }) => Object.keys(outputs)).filter((file) => file.endsWith(".map"));
	const names = maps.flatMap((file) => {
		const { sources } = JSON.parse(readFileSync(path.join(root, file), "utf8"));
		return sources.flatMap((source) => {
			const [, name, version] = /\/\.pnpm\/((?:@[^/@]+\+)?[^/@]+)@([^/_(]+)/.exec(source) ?? [];
			return name === undefined ? [] : [`${name.replace("+", "/")} ${version}`];
		});
	});
	return new Set(names);
}

function readEmbedded(root) {
	const sections = readFileSync(path.join(root, "scripts", "embedded-licenses.txt"), "utf8").split(SEPARATOR);
	return new Map(sections.map((section) => [section.slice(0, section.indexOf(" (")), section]));
}

function sectionOf(root, folder) {
	const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
	const texts = textsOf(folder, root, license);
	if (texts.length === 0) {
		throw new Error(`${name} ${version} (${license}) has no licence text. Replace it, or ask its authors.`);
	}
	return [`${name} ${version}`, `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`];
}

function textsOf(folder, root, license) {
	const read = (file) => readFileSync(path.join(folder, file), "utf8").trim();
	const names = readdirSync(folder).sort();
	const files = names.filter((file) => LICENSE_FILE.test(file));
	if (files.length > 0) return files.map(read);
	// Some packages contain the text only in their README.
	const readmes = names.filter((file) => /^readme/i.test(file)).map(read);
	const sections = readmes.flatMap((readme) => LICENSE_SECTION.exec(readme)?.[1] ?? []);
	if (sections.some((section) => /copyright/i.test(section))) return sections;
	// The Apache licence names no author, so its text is the same for every package. This repository uses it too.
	return license === "Apache-2.0" ? [readFileSync(path.join(root, "LICENSE"), "utf8").trim()] : [];
}

const LICENSE_SECTION = /^#+ *licen[cs]e *\n([^#]*)/im;
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:$|[.-])(?!.*\.[cm]?[jt]s$)/i;
