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
	/** The folder that contains its sources. */
	readonly folder: string;
	readonly tarball: string;
	/** The paths of the files in the tarball. */
	readonly files: readonly string[];
}

/** Packs the packages in `folders` and writes their tarballs to `into`. */
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

/** Finds files in a tarball that its users don't need. */
export function findStrayFiles({ manifest, files }: Pick<Packed, "manifest" | "files">): string[] {
	const all = new Set(files);
	const isCompiled = files.some((file) => file.startsWith("src/"));
	return files.flatMap((file) => {
		const where = `${manifest.name} packs ${file}`;
		const advice = `exclude it with "files" in its manifest`;
		if (/\.test\./.test(file)) return [`${where}, a test: ${advice}`];
		if (/\.tsbuildinfo$|(?:^|\/)tsconfig[^/]*\.json$/.test(file)) return [`${where}, only for the compiler: ${advice}`];
		const [, stem] = /^dist\/(.*?)(?:\.d)?\.[jt]s(?:\.map)?$/.exec(file) ?? [];
		if (!isCompiled || stem === undefined || all.has(`src/${stem}.ts`) || all.has(`src/${stem}.tsx`)) return [];
		return [`${where}, which has no source: remove dist and build again`];
	});
}

/** Finds publint's warnings and errors about a tarball. Its suggestions are matters of taste. */
export async function findPublishingMistakes({ manifest, tarball }: Packed): Promise<string[]> {
	const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(readFileSync(tarball)).buffer } });
	return messages
		.filter(({ type }) => type !== "suggestion")
		.map((message) => `${manifest.name}: ${formatMessage(message, pkg, { color: false })}`);
}

/** Finds exported paths whose types TypeScript cannot find or that don't match the modules that Node loads. */
export async function findWrongTypes({ manifest, tarball }: Packed): Promise<string[]> {
	const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
	if (!analysis.types) {
		// A package with only a command has no exports.
		return manifest.exports === undefined ? [] : [`${manifest.name} has exports, but no types for them`];
	}
	return analysis.problems
		.filter((problem) => {
			// Segue's packages are ES modules, so only resolution modes that support ES modules count.
			return (["node16-esm", "bundler"] as const).some((it) => problemAffectsResolutionKind(problem, it, analysis));
		})
		.map(({ kind, ...details }) => `${manifest.name} has wrong types: ${kind} ${JSON.stringify(details)}`);
}

/**
 * Installs a package into an empty project, with only its declared dependencies. Segue's other packages are installed
 * from their tarballs, and third-party packages from the repository's node_modules.
 */
export function installAlone(packed: Packed, siblings: readonly Packed[], project: string): void {
	const dependencies = Object.fromEntries(needsOf(packed, siblings));
	mkdirSync(project, { recursive: true });
	writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "alone", private: true, dependencies }));
	npm(project, ["install", "--install-links"]);
}

/** Finds exports and commands of an installed package that don't work. */
export function findBroken({ manifest, files }: Pick<Packed, "manifest" | "files">, project: string): string[] {
	const { name, version = "", exports = {}, bin = {} } = manifest;
	const imports = Object.keys(exports).flatMap((subpath) => {
		const specifier = path.posix.join(name, subpath);
		const paths = (subpath.includes("*") ? compiledIn(files) : [subpath]).filter((file) => !WORKER.test(file));
		if (paths.length === 0) return [];
		const each = paths.map((one) => `await import(${JSON.stringify(path.posix.join(name, one))});`);
		const { status, stdout, stderr } = runNode(project, ["--input-type=module", `--eval=${each.join("")}`]);
		if (status !== 0) return [`${specifier} cannot be imported if only ${name} is installed: ${stderr}`];
		const output = stdout + stderr;
		return output === "" ? [] : [`${specifier} prints something when it is imported: ${output}`];
	});
	const commands = Object.entries(bin).flatMap(([command, file]) => {
		const program = path.join(project, "node_modules", name, file);
		const asked = runNode(project, [program, "--version"]);
		const helped = runNode(project, [program, "help"]);
		const findings: string[] = [];
		if (!existsSync(path.join(project, "node_modules", ".bin", command))) findings.push(`${command} is not installed`);
		// A build in a git checkout adds the commit.
		if (asked.status !== 0 || asked.stdout.trim().replace(/ \([0-9a-f]+\)$/, "") !== version) {
			findings.push(`${command} --version prints ${asked.stdout}${asked.stderr} instead of ${version}`);
		}
		if (helped.status !== 0 || !helped.stdout.includes(command)) {
			findings.push(`${command} help prints no help: ${helped.stdout}${helped.stderr}`);
		}
		return findings;
	});
	return [...imports, ...commands];
}

/** Worker entry points can be loaded only in a worker. */
const WORKER = /worker(?:-entry)?$/;

/** Returns the modules that can be imported if all paths are exported. */
function compiledIn(files: readonly string[]): string[] {
	return files.flatMap((file) => /^dist\/(.*)\.js$/.exec(file)?.[1] ?? []);
}

/** Finds packages in a project that neither the installed package nor its dependencies declare. */
export function findUninvited(packed: Packed, siblings: readonly Packed[], project: string): string[] {
	const invited = needsOf(packed, siblings);
	return installedIn(project)
		.filter((name) => !invited.has(name))
		.map((name) => `${name} is installed with ${packed.manifest.name}, but not declared`);
}

/** Returns a package and everything it needs, each with the location from which npm can install it. */
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
				throw new Error(`${manifest.name} needs ${name}, which is neither one of our published packages nor installed`);
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

/**
 * Looks for a third-party package where Node would, from a folder upwards. A symbolic link leads to one of Segue's
 * packages.
 */
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
