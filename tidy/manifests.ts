import { type Package, packagesOf, type Versions } from "./packages.js";
import { lineAt, type Tree } from "./tree.js";

const LICENSE = "Apache-2.0";
const NODE = ">=20.19";
const SECTIONS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const;

/** Finds manifests whose version differs from the root's, or with a different licence or Node version. */
export function findUnlikeManifests(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const version = versionOf(packages);
	return packages.flatMap(({ manifestPath, manifest }) => {
		const findings: string[] = [];
		function expect(key: "version" | "license" | "engines", value: string | undefined, expected: string): void {
			if (value === expected) return;
			const line = lineOfKey(tree[manifestPath] ?? "", key);
			findings.push(`${manifestPath}:${line} has ${key} ${value ?? "missing"}: make it ${expected}`);
		}
		expect("version", manifest.version, version);
		expect("license", manifest.license, LICENSE);
		if (manifest.private !== true) expect("engines", manifest.engines?.["node"], NODE);
		return findings;
	});
}

/**
 * Finds dependencies without a single exact version everywhere. Segue's own packages must have the root's version. A
 * peer dependency is a range that starts at that version, because the program that embeds the package chooses it.
 */
export function findLooseVersions(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const version = versionOf(packages);
	const own = new Set(packages.map(({ manifest }) => manifest.name));
	const first = new Map<string, { wanted: string; where: string }>();
	return eachDependency(tree, packages).flatMap(({ section, where, name, wanted: range }) => {
		const wanted = section === "peerDependencies" ? range.replace(/^\^/, "") : range;
		if (own.has(name)) {
			return wanted === version ? [] : [`${where} requires ${name} ${wanted}, one of our packages: make it ${version}`];
		}
		if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(wanted)) {
			return [`${where} requires ${name} ${wanted}: use an exact version, such as 1.2.3`];
		}
		const { wanted: other, where: otherPlace } = first.get(name) ?? { wanted, where };
		if (!first.has(name)) first.set(name, { wanted, where });
		return wanted === other
			? []
			: [`${where} requires ${name} ${wanted}, but ${otherPlace} requires ${other}: use one version`];
	});
}

/**
 * Finds registry addresses in the lockfile. Without them, npm uses the registry configured on each machine, and the
 * integrity hashes guarantee the same contents.
 */
export function findRegistryAddresses(tree: Tree): string[] {
	const file = "package-lock.json";
	const text = tree[file] ?? "";
	return Array.from(text.matchAll(/"resolved":\s*"([a-z+]+:[^"]*)"/g), ({ 1: address, index }) => {
		return `${file}:${lineAt(text, index)} contains ${address}: run npm with omit-lockfile-registry-resolved`;
	});
}

/**
 * Finds packages for other systems that the lockfile mentions but does not contain. npm omits them if the registry does
 * not have them yet, or if an older node_modules is present. Then `npm ci` fails everywhere.
 */
export function findLockfileGaps(tree: Tree): string[] {
	const file = "package-lock.json";
	const { packages = {} }: Lockfile = JSON.parse(tree[file] ?? "{}");
	const held = new Set(Object.keys(packages).map((folder) => folder.split("node_modules/").at(-1)));
	const advice = "pin a version that exists for every system, and recreate the lockfile without node_modules";
	return Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
		Object.keys(optionalDependencies)
			.filter((name) => !held.has(name))
			.map((name) => `${file}: ${folder} needs ${name} on some systems, but it is missing: ${advice}`),
	);
}

interface Lockfile {
	readonly packages?: Readonly<Record<string, { readonly optionalDependencies?: Versions }>>;
}

function versionOf(packages: readonly Package[]): string {
	return packages.find(({ folder }) => folder === "")?.manifest.version ?? "that of the root, which is missing";
}

interface Dependency {
	readonly section: (typeof SECTIONS)[number];
	readonly where: string;
	readonly name: string;
	readonly wanted: string;
}

function eachDependency(tree: Tree, packages: readonly Package[]): Dependency[] {
	return packages.flatMap(({ manifestPath, manifest }) =>
		SECTIONS.flatMap((section) => {
			const versions: Versions = manifest[section] ?? {};
			return Object.entries(versions).map(([name, wanted]) => {
				const where = `${manifestPath}:${lineOfKey(tree[manifestPath] ?? "", section, name)}`;
				return { section, where, name, wanted };
			});
		}),
	);
}

/** Returns the line of a key in JSON, searched for after its parent keys, or 1 if the key is missing. */
function lineOfKey(text: string, ...keys: readonly string[]): number {
	const offset = keys.reduce((from, key) => text.indexOf(`${JSON.stringify(key)}:`, from), 0);
	return offset === -1 ? 1 : lineAt(text, offset);
}
