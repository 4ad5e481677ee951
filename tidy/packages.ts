import path from "node:path";
import type { Tree } from "./tree.js";

/** The fields of a package.json that the rules use. */
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

/** The required version by package name. */
export type Versions = Readonly<Record<string, string>>;

/** The target of an exported path: a single file, or one file per condition. */
type Target = string | { readonly [condition: string]: Target };

/** A package in the repository. */
export interface Package {
	/** The folder's path in the repository; "" is the root. */
	readonly folder: string;
	/** Its name in the rules in arrows.ts: the last part of its folder. */
	readonly title: string;
	readonly manifestPath: string;
	readonly manifest: Manifest;
}

/** Returns the packages in a tree, including the root. */
export function packagesOf(tree: Tree): Package[] {
	return Object.entries(tree).flatMap(([file, text]) => {
		if (path.posix.basename(file) !== "package.json") return [];
		const folder = file === "package.json" ? "" : path.posix.dirname(file);
		const manifest: Manifest = JSON.parse(text);
		return [{ folder, title: path.posix.basename(folder), manifestPath: file, manifest }];
	});
}

/** Returns the package that a file belongs to: the one with the nearest manifest above it. */
export function ownerOf(packages: readonly Package[], file: string): Package | undefined {
	return packages
		.filter(({ folder }) => folder === "" || file.startsWith(`${folder}/`))
		.reduce<Package | undefined>((nearest, next) => (isLonger(next, nearest) ? next : nearest), undefined);
}

/** Splits `@segue/rpc/node` into the package name and the path within the package: `@segue/rpc` and `./node`. */
export function splitSpecifier(specifier: string): { name: string; subpath: string } {
	const parts = specifier.split("/");
	const name = parts.splice(0, specifier.startsWith("@") ? 2 : 1).join("/");
	return { name, subpath: [".", ...parts].join("/") };
}

/** Whether a file is a test. */
export function isTest(file: string): boolean {
	return /\.test\.[cm]?[jt]sx?$/.test(file);
}

/** Whether a file is a JavaScript or TypeScript module. */
export function isCode(file: string): boolean {
	return /\.[cm]?[jt]sx?$/.test(file);
}

function isLonger(a: Package, b: Package | undefined): boolean {
	return b === undefined || a.folder.length > b.folder.length;
}
