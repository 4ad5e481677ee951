import { isBuiltin } from "node:module";
import path from "node:path";
import { type Import, importsOf } from "./imports.js";
import { isCode, isTest, type Manifest, ownerOf, type Package, packagesOf, splitSpecifier } from "./packages.js";
import type { Tree } from "./tree.js";

interface PackageRule {
	/** The packages of ours that its sources may import. */
	readonly mayImport: readonly string[] | "anything";
	/**
	 * Code that runs anywhere keeps Node's modules to files named node.ts and folders named node. Of a package that runs in Node,
	 * some paths below src may run anywhere, too.
	 */
	readonly runs: "anywhere" | "in Node" | { readonly anywhere: RegExp };
	/** What its tests may import besides. */
	readonly inTests?: readonly string[];
	readonly because: string;
}

/** Which package may import which, from ARCHITECTURE.md. An arrow that is not here must stay impossible. */
const RULES: Readonly<Record<string, PackageRule>> = {
	text: { mayImport: [], runs: "anywhere", because: "everything stands on it, so it stands on nothing" },
	rpc: { mayImport: [], runs: "anywhere", because: "others embed it alone, for wires that are not ours" },
	protocol: { mayImport: ["rpc"], runs: "anywhere", because: "protocol knows no prediction" },
	predict: { mayImport: ["text"], runs: "anywhere", because: "predict knows no wire" },
	models: {
		mayImport: ["text", "predict"],
		runs: "in Node",
		because: "a model turns a scene into a prompt, not a message",
	},
	assist: {
		mayImport: ["text", "models", "rpc", "protocol"],
		runs: "in Node",
		because: "it is a client of other agents, and knows no next edit",
	},
	editor: {
		mayImport: ["text", "rpc", "protocol"],
		runs: "anywhere",
		because: "a plugin embeds it in the editor's own process, without the agent side",
	},
	agent: {
		mayImport: ["text", "predict", "models", "assist", "story"],
		runs: { anywhere: /^(?:$|index\.|(?:next-edit|outline)\/)/ },
		because: "the agent knows no wire, and every server exposes it",
	},
	server: {
		mayImport: ["text", "rpc", "protocol", "predict", "models", "assist", "agent"],
		runs: { anywhere: /^acp\/[^/]+$/ },
		inTests: ["editor"],
		because: "it turns messages into calls of the agent and back, for any program that embeds it",
	},
	cli: {
		mayImport: ["text", "rpc", "protocol", "predict", "models", "assist", "editor", "story", "agent", "server", "lab"],
		runs: "in Node",
		because: "it is the program that people run, and no package of ours needs it",
	},
	story: { mayImport: ["text"], runs: "anywhere", because: "one picture is played over every wire" },
	testing: { mayImport: "anything", runs: "in Node", because: "it stands in for every other end" },
	playground: {
		mayImport: ["text", "rpc", "protocol", "predict", "editor", "story"],
		runs: "anywhere",
		because: "it is an editor like any other, which takes its colours from the lexer of predict",
	},
	lab: { mayImport: "anything", runs: "in Node", because: "it measures every layer by itself" },
};

/** What the tests of every package may import besides, because it is made for them. */
const FOR_TESTS = ["story", "testing"];

/** A story is a text that belongs to no package, and is read as one. */
const STORY = /^stories\/[\w-]+\.story\.md$/;

/** esbuild puts everything these need into their own files, so that nothing has to be installed with them. */
const BUNDLED = ["cli"];

/** Finds imports of packages that the importing one does not declare: they work only by the luck of what is installed. */
export function findUndeclaredImports(tree: Tree): string[] {
	return eachImport(tree, packagesOf(tree)).flatMap(({ file, owner, found }) => {
		const { specifier, line, typeOnly } = found;
		if (/^[./#]/.test(specifier) || isBuiltin(specifier)) return [];
		const { name } = splitSpecifier(specifier);
		const forDevelopment = owner.folder === "" || isTest(file) || BUNDLED.includes(owner.title);
		const declared = declaredBy(owner.manifest, forDevelopment);
		// The types of a package that brings none come from another package, which is all that a type import needs.
		const names = typeOnly ? [name, typesOf(name)] : [name];
		if (name === owner.manifest.name || names.some((it) => declared.has(it))) return [];
		const section = forDevelopment ? "devDependencies" : "dependencies";
		return [`${file}:${line} imports ${name}, which ${owner.manifestPath} does not declare: add it to ${section}`];
	});
}

/** Finds imports from one of our packages to another that the table does not allow, or that go past its exports. */
export function findForbiddenArrows(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const strangers = packages
		.filter(({ folder, title }) => folder !== "" && RULES[title] === undefined)
		.map(
			({ manifestPath }) =>
				`${manifestPath}:1 is of a package that tidy/arrows.ts does not know: say there what it may import`,
		);
	const arrows = eachImport(tree, packages).flatMap(({ file, owner, found }) => {
		const where = `${file}:${found.line} imports ${found.specifier}`;
		if (found.specifier.startsWith(".")) {
			const target = path.posix.join(path.posix.dirname(file), found.specifier);
			if (ownerOf(packages, target) === owner && !target.startsWith("..")) return [];
			if (STORY.test(target)) return [];
			return [`${where}, which leaves the package: import what the other package exports, by its name`];
		}
		const { name, subpath } = splitSpecifier(found.specifier);
		const target = packages.find(({ manifest }) => manifest.name === name);
		if (target === undefined) return [];
		if (!isExported(target.manifest, subpath)) {
			return [`${where}, which ${target.manifestPath} does not export: import what it exports, or export this`];
		}
		const rule = RULES[owner.title];
		if (rule === undefined || target === owner || isAllowed(rule, target.title, file)) return [];
		if (target.title === "testing") return [`${where}, which is for tests and lab only: move this into one`];
		return [`${where}, but ${owner.title} may not know ${target.title}: ${rule.because} (see tidy/arrows.ts)`];
	});
	return [...strangers, ...arrows];
}

/** Finds Node's modules in code that also runs in browsers. */
export function findNodeInBrowserCode(tree: Tree): string[] {
	const packages = packagesOf(tree);
	return eachImport(tree, packages).flatMap(({ file, owner, found }) => {
		const below = file.slice(`${owner.folder}/src/`.length);
		if (!runsAnywhere(owner.title, below) || isTest(file) || isForNode(file)) return [];
		const { specifier, line } = found;
		if (!isBuiltin(specifier) && !isPathForNode(file, specifier) && !isOfNode(packages, owner, file, specifier))
			return [];
		const advice = "take what it needs as an argument, or move it to src/node/";
		return [`${file}:${line} imports ${specifier}, but ${owner.title} also runs in browsers: ${advice}`];
	});
}

function runsAnywhere(title: string, below: string): boolean {
	const { runs = "in Node" } = RULES[title] ?? {};
	return typeof runs === "object" ? runs.anywhere.test(below) : runs === "anywhere";
}

/** True for an import of what runs in Node alone: a file of the same package, or a path of another one of ours. */
function isOfNode(packages: readonly Package[], owner: Package, file: string, specifier: string): boolean {
	if (specifier.startsWith(".")) {
		const target = path.posix.join(path.posix.dirname(file), specifier);
		return (
			ownerOf(packages, target) === owner && !runsAnywhere(owner.title, target.slice(`${owner.folder}/src/`.length))
		);
	}
	const { name, subpath } = splitSpecifier(specifier);
	const target = packages.find(({ manifest }) => manifest.name === name);
	return target !== undefined && !runsAnywhere(target.title, subpath.replace(/^\.\/?/, ""));
}

/** True for a path that a package exports by itself, or with all paths below it. */
function isExported({ exports = {} }: Manifest, subpath: string): boolean {
	return exports[subpath] !== undefined || (subpath !== "." && exports["./*"] !== undefined);
}

function eachImport(tree: Tree, packages: readonly Package[]): { file: string; owner: Package; found: Import }[] {
	return Object.entries(tree).flatMap(([file, text]) => {
		const owner = ownerOf(packages, file);
		if (owner === undefined || !isCode(file)) return [];
		return importsOf(text).map((found) => ({ file, owner, found }));
	});
}

function declaredBy(manifest: Manifest, forDevelopment: boolean): ReadonlySet<string> {
	const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest;
	const sections = [dependencies, peerDependencies, optionalDependencies, forDevelopment ? devDependencies : {}];
	return new Set(sections.flatMap((section) => Object.keys(section ?? {})));
}

/** `ws` has its types in `@types/ws`, and `@scope/name` in `@types/scope__name`. */
function typesOf(name: string): string {
	return `@types/${name.replace(/^@/, "").replace("/", "__")}`;
}

function isAllowed(rule: PackageRule, title: string, file: string): boolean {
	if (rule.mayImport === "anything" || rule.mayImport.includes(title)) return true;
	return isTest(file) && [...FOR_TESTS, ...(rule.inTests ?? [])].includes(title);
}

/** True for an import of what uses Node's modules in turn: our own files for it, and a package's path for it. */
function isPathForNode(file: string, specifier: string): boolean {
	if (specifier.startsWith(".")) return isForNode(path.posix.join(path.posix.dirname(file), specifier));
	return /^\.\/node(?:[./]|$)/.test(splitSpecifier(specifier).subpath);
}

/** True where Node's modules may be used: in src/node/ and in files named node.ts. */
function isForNode(file: string): boolean {
	return /\/src\/node\/|\/node\.[cm]?[jt]sx?$/.test(file);
}
