import { isBuiltin } from "node:module";
import path from "node:path";
import { type Import, importsOf } from "./imports.js";
import { isCode, isTest, type Manifest, ownerOf, type Package, packagesOf, splitSpecifier } from "./packages.js";
import type { Tree } from "./tree.js";

interface PackageRule {
	/** The Segue packages that this package's sources may import. */
	readonly mayImport: readonly string[] | "anything";
	/**
	 * Code that runs anywhere may import Node's modules only in files named node.ts and folders named node. A package
	 * that runs in Node may have paths below src that run anywhere.
	 */
	readonly runs: "anywhere" | "in Node" | { readonly anywhere: RegExp };
	/** Additional packages that its tests may import. */
	readonly inTests?: readonly string[];
	readonly because: string;
}

/** Which packages each package may import, from ARCHITECTURE.md. All other dependencies are forbidden. */
const RULES: Readonly<Record<string, PackageRule>> = {
	text: { mayImport: [], runs: "anywhere", because: "every package depends on it, so it depends on none" },
	rpc: { mayImport: [], runs: "anywhere", because: "it can be embedded on its own, for other protocols" },
	protocol: { mayImport: ["rpc"], runs: "anywhere", because: "protocol is independent of prediction" },
	predict: { mayImport: ["text"], runs: "anywhere", because: "predict is independent of protocols" },
	models: {
		mayImport: ["text", "predict"],
		runs: "in Node",
		because: "models turn a scene into a prompt and are independent of messages",
	},
	assist: {
		mayImport: ["text", "models", "rpc", "protocol"],
		runs: "in Node",
		because: "it is a client of other agents and is independent of next edits",
	},
	editor: {
		mayImport: ["text", "rpc", "protocol"],
		runs: "anywhere",
		because: "a plugin embeds it in the editor's own process, without the agent side",
	},
	agent: {
		mayImport: ["text", "predict", "models", "assist", "story"],
		runs: { anywhere: /^(?:$|index\.|(?:next-edit|outline)\/)/ },
		because: "the agent is independent of protocols, and every server exposes it",
	},
	server: {
		mayImport: ["text", "rpc", "protocol", "predict", "models", "assist", "agent"],
		runs: { anywhere: /^acp\/[^/]+$/ },
		inTests: ["editor"],
		because: "it translates between messages and calls of the agent, for any program that embeds it",
	},
	cli: {
		mayImport: ["text", "rpc", "protocol", "predict", "models", "assist", "editor", "story", "agent", "server", "lab"],
		runs: "in Node",
		because: "it is the program that users run, and no other package needs it",
	},
	story: { mayImport: ["text"], runs: "anywhere", because: "a story is played over every protocol" },
	testing: { mayImport: "anything", runs: "in Node", because: "it replaces every kind of peer in tests" },
	codemirror: {
		mayImport: ["text", "predict", "editor"],
		runs: "anywhere",
		because: "it is an editor plugin, and uses predict's sentences about missing suggestions",
	},
	monaco: {
		mayImport: ["text", "predict", "editor"],
		runs: "anywhere",
		because: "it is an editor plugin, and uses predict's sentences about missing suggestions",
	},
	playground: {
		mayImport: ["text", "rpc", "protocol", "predict", "editor", "story", "codemirror"],
		runs: "anywhere",
		because: "it is an editor plugin, and uses predict's lexer for syntax colours",
	},
	vscode: {
		mayImport: ["text", "rpc", "protocol", "predict", "editor", "server"],
		runs: "in Node",
		because:
			"it is an editor plugin, uses predict's texts for missing suggestions, and serves next edits itself on the web",
	},
	lab: { mayImport: "anything", runs: "in Node", because: "it measures every package separately" },
};

/** Packages for use in tests. The tests in every package may import them. */
const FOR_TESTS = ["story", "testing"];

/** Stories belong to no package and may be imported as text. */
const STORY = /^stories\/[\w-]+\.story\.md$/;

/** Packages that esbuild bundles together with their dependencies, so that nothing has to be installed with them. */
const BUNDLED = ["cli", "vscode"];

/** Modules that exist only inside a program that runs the code. */
const PROVIDED = ["vscode"];

/** Finds imports of undeclared packages. Such imports work only if another package happens to install them. */
export function findUndeclaredImports(tree: Tree): string[] {
	return eachImport(tree, packagesOf(tree)).flatMap(({ file, owner, found }) => {
		const { specifier, line, typeOnly } = found;
		if (/^[./#]/.test(specifier) || isBuiltin(specifier)) return [];
		const { name } = splitSpecifier(specifier);
		if (PROVIDED.includes(name)) return [];
		const forDevelopment = owner.folder === "" || isTest(file) || BUNDLED.includes(owner.title);
		const declared = declaredBy(owner.manifest, forDevelopment);
		// For a type import, a package that contains types is enough.
		const names = typeOnly ? [name, typesOf(name)] : [name];
		if (name === owner.manifest.name || names.some((it) => declared.has(it))) return [];
		const section = forDevelopment ? "devDependencies" : "dependencies";
		return [`${file}:${line} imports ${name}, which ${owner.manifestPath} does not declare: add it to ${section}`];
	});
}

/** Finds imports between Segue packages that the table does not allow or that bypass a package's exports. */
export function findForbiddenArrows(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const strangers = packages
		.filter(({ folder, title }) => folder !== "" && RULES[title] === undefined)
		.map(
			({ manifestPath }) =>
				`${manifestPath}:1 belongs to a package that is missing from tidy/arrows.ts: add a row with the packages it may import`,
		);
	const arrows = eachImport(tree, packages).flatMap(({ file, owner, found }) => {
		const where = `${file}:${found.line} imports ${found.specifier}`;
		if (found.specifier.startsWith(".")) {
			const target = path.posix.join(path.posix.dirname(file), found.specifier);
			if (ownerOf(packages, target) === owner && !target.startsWith("..")) return [];
			if (STORY.test(target)) return [];
			return [`${where}, which is outside the package: import it by the other package's name`];
		}
		const { name, subpath } = splitSpecifier(found.specifier);
		const target = packages.find(({ manifest }) => manifest.name === name);
		if (target === undefined) return [];
		if (!isExported(target.manifest, subpath)) {
			return [`${where}, which ${target.manifestPath} does not export: import something exported, or export this`];
		}
		const rule = RULES[owner.title];
		if (rule === undefined || target === owner || isAllowed(rule, target.title, file)) return [];
		if (target.title === "testing") return [`${where}, which is only for tests and lab: move this code there`];
		return [`${where}, but ${owner.title} may not import ${target.title}: ${rule.because} (see tidy/arrows.ts)`];
	});
	return [...strangers, ...arrows];
}

/** Finds imports of Node's modules in code that also runs in browsers. */
export function findNodeInBrowserCode(tree: Tree): string[] {
	const packages = packagesOf(tree);
	return eachImport(tree, packages).flatMap(({ file, owner, found }) => {
		const below = file.slice(`${owner.folder}/src/`.length);
		if (!runsAnywhere(owner.title, below) || isTest(file) || isForNode(file)) return [];
		const { specifier, line } = found;
		if (!isBuiltin(specifier) && !isPathForNode(file, specifier) && !isOfNode(packages, owner, file, specifier))
			return [];
		const advice = "pass what it needs as an argument, or move it to src/node/";
		return [`${file}:${line} imports ${specifier}, but ${owner.title} also runs in browsers: ${advice}`];
	});
}

function runsAnywhere(title: string, below: string): boolean {
	const { runs = "in Node" } = RULES[title] ?? {};
	return typeof runs === "object" ? runs.anywhere.test(below) : runs === "anywhere";
}

/** Whether an import from this package or another Segue package leads to code that runs only in Node. */
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

/** Whether a package exports a path, by name or through a wildcard. */
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

/** Returns the package with the types of another: `@types/ws` for `ws`, `@types/scope__name` for `@scope/name`. */
function typesOf(name: string): string {
	return `@types/${name.replace(/^@/, "").replace("/", "__")}`;
}

function isAllowed(rule: PackageRule, title: string, file: string): boolean {
	if (rule.mayImport === "anything" || rule.mayImport.includes(title)) return true;
	return isTest(file) && [...FOR_TESTS, ...(rule.inTests ?? [])].includes(title);
}

/** Whether an import leads to a file or a package path reserved for Node code. */
function isPathForNode(file: string, specifier: string): boolean {
	if (specifier.startsWith(".")) return isForNode(path.posix.join(path.posix.dirname(file), specifier));
	return /^\.\/node(?:[./]|$)/.test(splitSpecifier(specifier).subpath);
}

/** Whether a file may import Node's modules: in src/node/, or named node.ts. */
function isForNode(file: string): boolean {
	return /\/src\/node\/|\/node\.[cm]?[jt]sx?$/.test(file);
}
