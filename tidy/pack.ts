import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { npm, runNode } from "./npm.js";
import type { Manifest } from "./packages.js";

/** A package as it would be published. */
export interface Packed {
	readonly manifest: Manifest;
	/** Where its sources are. */
	readonly folder: string;
	readonly tarball: string;
	/** The paths in the tarball. */
	readonly files: readonly string[];
}

/** Packs the packages in some folders, and writes their tarballs into another. */
export function pack(folders: readonly string[], into: string): Packed[] {
	const report: { name: string; filename: string; files: { path: string }[] }[] = JSON.parse(
		npm(into, ["pack", "--json", `--pack-destination=${into}`, ...folders]),
	);
	return folders.map((folder) => {
		const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
		const packed = report.find(({ name }) => name === manifest.name);
		if (packed === undefined) throw new Error(`npm did not pack ${manifest.name}`);
		return {
			manifest,
			folder,
			tarball: path.join(into, packed.filename),
			files: packed.files.map((file) => file.path),
		};
	});
}

/** Finds files in a tarball that are of no use to whoever installs it. */
export function findStrayFiles({ manifest, files }: Pick<Packed, "manifest" | "files">): string[] {
	const all = new Set(files);
	const isCompiled = files.some((file) => file.startsWith("src/"));
	return files.flatMap((file) => {
		const where = `${manifest.name} packs ${file}`;
		const advice = `leave it out by "files" of its manifest`;
		if (/\.test\./.test(file)) return [`${where}, a test: ${advice}`];
		if (/\.tsbuildinfo$|(?:^|\/)tsconfig[^/]*\.json$/.test(file)) return [`${where}, for the compiler only: ${advice}`];
		const [, stem] = /^dist\/(.*?)(?:\.d)?\.[jt]s(?:\.map)?$/.exec(file) ?? [];
		if (!isCompiled || stem === undefined || all.has(`src/${stem}.ts`) || all.has(`src/${stem}.tsx`)) return [];
		return [`${where}, which none of its sources became: remove its dist and build again`];
	});
}

/** Finds what publint has against a tarball. Its suggestions are matters of taste; warnings and errors break somebody. */
export async function findPublishingMistakes({ manifest, tarball }: Packed): Promise<string[]> {
	const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(readFileSync(tarball)).buffer } });
	return messages
		.filter(({ type }) => type !== "suggestion")
		.map((message) => `${manifest.name}: ${formatMessage(message, pkg, { color: false })}`);
}

/** Finds export paths whose types TypeScript would not find, or would take for something else than what Node loads. */
export async function findWrongTypes({ manifest, tarball }: Packed): Promise<string[]> {
	const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
	if (!analysis.types) {
		// A package that is only a command has nothing to import.
		return manifest.exports === undefined ? [] : [`${manifest.name} has exports, but no types for them`];
	}
	return analysis.problems
		.filter((problem) => {
			// Our packages are ES modules, and say so: what cannot read these is not asked.
			return (["node16-esm", "bundler"] as const).some((it) => problemAffectsResolutionKind(problem, it, analysis));
		})
		.map(({ kind, ...details }) => `${manifest.name} has wrong types: ${kind} ${JSON.stringify(details)}`);
}

/**
 * Installs a package into an empty project, with what it declares and nothing else. Our other packages come from their
 * tarballs, and those of others from what is installed beside the sources.
 */
export function installAlone(packed: Packed, siblings: readonly Packed[], project: string): void {
	const dependencies = Object.fromEntries(needsOf(packed, siblings));
	mkdirSync(project, { recursive: true });
	writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "alone", private: true, dependencies }));
	npm(project, ["install", "--install-links"]);
}

/** Finds what does not work in a project that a package is installed in: its exports, and its commands. */
export function findBroken({ manifest, files }: Pick<Packed, "manifest" | "files">, project: string): string[] {
	const { name, version = "", exports = {}, bin = {} } = manifest;
	const imports = Object.keys(exports).flatMap((subpath) => {
		const specifier = path.posix.join(name, subpath);
		const paths = subpath.includes("*") ? compiledIn(files) : [subpath];
		const each = paths.map((one) => `await import(${JSON.stringify(path.posix.join(name, one))});`);
		const { status, stdout, stderr } = runNode(project, ["--input-type=module", `--eval=${each.join("")}`]);
		if (status !== 0) return [`${specifier} cannot be imported where only ${name} is installed: ${stderr}`];
		const output = stdout + stderr;
		return output === "" ? [] : [`${specifier} writes something when it is imported: ${output}`];
	});
	const commands = Object.entries(bin).flatMap(([command, file]) => {
		const program = path.join(project, "node_modules", name, file);
		const asked = runNode(project, [program, "--version"]);
		const helped = runNode(project, [program, "help"]);
		const findings: string[] = [];
		if (!existsSync(path.join(project, "node_modules", ".bin", command))) findings.push(`${command} is not installed`);
		if (asked.status !== 0 || asked.stdout.trim() !== version) {
			findings.push(`${command} --version says ${asked.stdout}${asked.stderr} where ${version} is installed`);
		}
		if (helped.status !== 0 || !helped.stdout.includes(command)) {
			findings.push(`${command} help does not help: ${helped.stdout}${helped.stderr}`);
		}
		return findings;
	});
	return [...imports, ...commands];
}

/** What can be imported where all paths are exported. Entries of workers do something, and only in a worker. */
function compiledIn(files: readonly string[]): string[] {
	return files
		.flatMap((file) => /^dist\/(.*)\.js$/.exec(file)?.[1] ?? [])
		.filter((file) => !/worker(?:-entry)?$/.test(file));
}

/** Finds packages in a project that neither the one installed there nor what it needs has declared. */
export function findUninvited(packed: Packed, siblings: readonly Packed[], project: string): string[] {
	const invited = needsOf(packed, siblings);
	return installedIn(project)
		.filter((name) => !invited.has(name))
		.map((name) => `${name} comes with ${packed.manifest.name}, but nobody has declared it`);
}

/** Everything that a package needs, itself among it, and where npm finds each. */
function needsOf(packed: Packed, siblings: readonly Packed[]): ReadonlyMap<string, string> {
	const needs = new Map([[packed.manifest.name, `file:${packed.tarball}`]]);
	const rest: { manifest: Manifest; folder: string }[] = [packed];
	for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
		const { manifest, folder } = next;
		for (const name of namesNeededBy(manifest)) {
			if (needs.has(name)) continue;
			const sibling = siblings.find((it) => it.manifest.name === name);
			const found = sibling ?? findInstalled(name, folder);
			if (found !== undefined) {
				needs.set(name, `file:${sibling?.tarball ?? found.folder}`);
				rest.push(found);
			} else if (manifest.optionalDependencies?.[name] === undefined) {
				throw new Error(`${manifest.name} needs ${name}, which is neither published by us nor installed`);
			}
		}
	}
	return needs;
}

function namesNeededBy(manifest: Manifest): string[] {
	const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
	const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
	return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** Looks for a package of others where Node would, from a folder upwards. A link leads to a package of ours. */
function findInstalled(name: string, folder: string): { manifest: Manifest; folder: string } | undefined {
	const place = path.join(folder, "node_modules", name);
	const stats = lstatSync(place, { throwIfNoEntry: false });
	if (stats?.isSymbolicLink() === true) return undefined;
	if (stats !== undefined) {
		return { manifest: JSON.parse(readFileSync(path.join(place, "package.json"), "utf8")), folder: place };
	}
	const above = path.dirname(folder);
	return above === folder ? undefined : findInstalled(name, above);
}

function installedIn(project: string): string[] {
	const folder = path.join(project, "node_modules");
	if (!existsSync(folder)) return [];
	return readdirSync(folder)
		.filter((name) => !name.startsWith("."))
		.flatMap((name) =>
			name.startsWith("@") ? readdirSync(path.join(folder, name)).map((it) => `${name}/${it}`) : name,
		)
		.flatMap((name) => [name, ...installedIn(path.join(folder, name))]);
}
