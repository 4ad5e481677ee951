import path from "node:path";
import type { Tree } from "./tree.js";

/** What we read of a package.json. */
export interface Manifest {
	readonly name: string;
	readonly version?: string;
	readonly private?: boolean;
	readonly license?: string;
	readonly engines?: Readonly<Record<string, string>>;
	readonly exports?: Readonly<Record<string, Target>>;
	readonly bin?: Readonly<Record<string, string>>;
	readonly dependencies?: Versions;
	readonly devDependencies?: Versions;
	readonly peerDependencies?: Versions;
	readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
	readonly optionalDependencies?: Versions;
}

/** From the name of a package to the version that is asked for. */
export type Versions = Readonly<Record<string, string>>;

/** What an export path leads to: a file, or one for each condition. */
type Target = string | { readonly [condition: string]: Target };

/** A package of the repository. */
export interface Package {
	/** Where it is; "" is the root. */
	readonly folder: string;
	/** What the table of arrows calls it: the last part of its folder. */
	readonly title: string;
	readonly manifestPath: string;
	readonly manifest: Manifest;
}

/** Every package of a tree, the root's among them. */
export function packagesOf(tree: Tree): Package[] {
	return Object.entries(tree).flatMap(([file, text]) => {
		if (path.posix.basename(file) !== "package.json") return [];
		const folder = file === "package.json" ? "" : path.posix.dirname(file);
		const manifest: Manifest = JSON.parse(text);
		return [{ folder, title: path.posix.basename(folder), manifestPath: file, manifest }];
	});
}

/** The package that a file belongs to: the one with the nearest manifest above it. */
export function ownerOf(packages: readonly Package[], file: string): Package | undefined {
	return packages
		.filter(({ folder }) => folder === "" || file.startsWith(`${folder}/`))
		.reduce<Package | undefined>((nearest, next) => (isLonger(next, nearest) ? next : nearest), undefined);
}

/** Splits `@segue/rpc/node` into the package's name and the path in it: `@segue/rpc` and `./node`. */
export function splitSpecifier(specifier: string): { name: string; subpath: string } {
	const parts = specifier.split("/");
	const name = parts.splice(0, specifier.startsWith("@") ? 2 : 1).join("/");
	return { name, subpath: [".", ...parts].join("/") };
}

/** True for what the tests import and run, and nobody else. */
export function isTest(file: string): boolean {
	return /\.test\.[cm]?[jt]sx?$/.test(file);
}

/** True for a module in JavaScript or TypeScript. */
export function isCode(file: string): boolean {
	return /\.[cm]?[jt]sx?$/.test(file);
}

function isLonger(a: Package, b: Package | undefined): boolean {
	return b === undefined || a.folder.length > b.folder.length;
}
