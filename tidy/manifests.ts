import { type Package, packagesOf, type Versions } from "./packages.js";
import { lineAt, type Tree } from "./tree.js";

const LICENSE = "Apache-2.0";
const NODE = ">=20.19";
const SECTIONS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const;

/** Finds manifests that differ from the root's version, from our licence, or from the Node that we support. */
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

/** Finds dependencies that are not one exact version, the same one everywhere, and for our own packages the root's. */
export function findLooseVersions(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const version = versionOf(packages);
	const own = new Set(packages.map(({ manifest }) => manifest.name));
	const first = new Map<string, { wanted: string; where: string }>();
	return eachDependency(tree, packages).flatMap(({ where, name, wanted }) => {
		if (own.has(name)) {
			return wanted === version
				? []
				: [`${where} asks for ${name} ${wanted}, which is one of ours: make it ${version}`];
		}
		if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(wanted)) {
			return [`${where} asks for ${name} ${wanted}: say one exact version, such as 1.2.3`];
		}
		const { wanted: other, where: otherPlace } = first.get(name) ?? { wanted, where };
		if (!first.has(name)) first.set(name, { wanted, where });
		return wanted === other
			? []
			: [`${where} asks for ${name} ${wanted}, and ${otherPlace} for ${other}: agree on one`];
	});
}

/**
 * Finds addresses in the lockfile. Without them npm takes every package from the registry that each machine is set up
 * for, and the integrity beside each version sees to it that it is the same one.
 */
export function findRegistryAddresses(tree: Tree): string[] {
	const file = "package-lock.json";
	const text = tree[file] ?? "";
	return Array.from(text.matchAll(/"resolved":\s*"([a-z+]+:[^"]*)"/g), ({ 1: address, index }) => {
		return `${file}:${lineAt(text, index)} names ${address}: run npm with omit-lockfile-registry-resolved`;
	});
}

/**
 * Finds packages for other systems that the lockfile names and does not hold. npm leaves them out where the registry
 * does not have them yet, or beside an older node_modules, and then `npm ci` fails on every machine.
 */
export function findLockfileGaps(tree: Tree): string[] {
	const file = "package-lock.json";
	const { packages = {} }: Lockfile = JSON.parse(tree[file] ?? "{}");
	const held = new Set(Object.keys(packages).map((folder) => folder.split("node_modules/").at(-1)));
	const advice = "pin a version that is there for every system, and make the lockfile anew without node_modules";
	return Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
		Object.keys(optionalDependencies)
			.filter((name) => !held.has(name))
			.map((name) => `${file}: ${folder} needs ${name} on some systems, and it is missing: ${advice}`),
	);
}

interface Lockfile {
	readonly packages?: Readonly<Record<string, { readonly optionalDependencies?: Versions }>>;
}

function versionOf(packages: readonly Package[]): string {
	return packages.find(({ folder }) => folder === "")?.manifest.version ?? "the root's, which has none";
}

function eachDependency(tree: Tree, packages: readonly Package[]): { where: string; name: string; wanted: string }[] {
	return packages.flatMap(({ manifestPath, manifest }) =>
		SECTIONS.flatMap((section) => {
			const versions: Versions = manifest[section] ?? {};
			return Object.entries(versions).map(([name, wanted]) => {
				const where = `${manifestPath}:${lineOfKey(tree[manifestPath] ?? "", section, name)}`;
				return { where, name, wanted };
			});
		}),
	);
}

/** The line of a key in a JSON text, looked for after the keys that lead to it; of the first line if it is missing. */
function lineOfKey(text: string, ...keys: readonly string[]): number {
	const offset = keys.reduce((from, key) => text.indexOf(`${JSON.stringify(key)}:`, from), 0);
	return offset === -1 ? 1 : lineAt(text, offset);
}
