import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { importsOf } from "./imports.js";
import { runNode } from "./npm.js";
import { type Package, packagesOf, splitSpecifier } from "./packages.js";
import { root, type Tree } from "./tree.js";

/** The package whose types must not name a protocol. */
const WIRELESS = "agent";
/** The packages whose types describe messages and connections. */
const WIRE: readonly string[] = ["protocol", "rpc"];

/**
 * Finds types from `protocol` and `rpc` that `agent` exposes. The table in arrows.ts covers the imports in `agent`
 * itself; this rule follows its types through the packages that it imports.
 *
 * It looks at declaration files, because they contain inferred types and omit the types of private members. Every
 * declaration file of `agent` is a root, since its manifest exports every path. From there the rule follows each import
 * of another Segue declaration file. That is stricter than following the exported names: a program that compiles
 * against `agent` must not even load a declaration file that names a protocol.
 */
export function findWireTypes(folder: string, tree: Tree): string[] {
	const packages = packagesOf(tree);
	const agent = packages.find(({ title }) => title === WIRELESS);
	if (agent === undefined) throw new Error(`no package ${WIRELESS}`);
	const declarations = emitDeclarations(folder, dependenciesOf(agent, packages));
	const roots = Object.keys(declarations).filter((file) => file.startsWith(`${agent.folder}/`));
	/** For each file reached, the path of imports that leads to it, including the file itself. */
	const ways = new Map<string, readonly string[]>(roots.map((file) => [file, [file]]));
	const findings = new Set<string>();
	// A map iterates over entries that are added during the iteration, so this visits files in order of distance.
	for (const [file, way] of ways) {
		const text = declarations[file];
		if (text === undefined) throw new Error(`${way.join(" imports ")}, which has no declaration file`);
		for (const { specifier } of importsOf(text)) {
			const { name } = splitSpecifier(specifier);
			const target = packages.find(({ manifest }) => manifest.name === name);
			if (target !== undefined && WIRE.includes(target.title)) {
				const through = way.map(sourceOf).join(" → ");
				const advice = "expose a plain type, and export the wire type from a path that agent does not import";
				findings.add(
					`${sourceOf(file)}:1 has types of ${specifier}, which ${WIRELESS} exposes (${through}): ${advice}`,
				);
				continue;
			}
			const next = specifier.startsWith(".")
				? path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, ".d.ts")
				: target && exportedBy(target, specifier);
			if (next !== undefined && !ways.has(next)) ways.set(next, [...way, next]);
		}
	}
	return [...findings];
}

/** Returns a package and its dependencies, without the wire packages. */
function dependenciesOf(start: Package, packages: readonly Package[]): Package[] {
	const found = new Set([start]);
	for (const { manifest } of found) {
		for (const name of Object.keys(manifest.dependencies ?? {})) {
			const next = packages.find((each) => each.manifest.name === name);
			if (next !== undefined && !WIRE.includes(next.title)) found.add(next);
		}
	}
	return [...found];
}

/** Compiles packages from source and returns their declaration files, as `packages/NAME/src/FILE.d.ts`. */
function emitDeclarations(folder: string, packages: readonly Package[]): Tree {
	const temporary = mkdtempSync(path.join(tmpdir(), "segue-declarations-"));
	try {
		const outDir = path.join(temporary, "out");
		const sources = packages.map((each) => path.join(folder, each.folder, "src"));
		const config = {
			extends: path.join(root, "tsconfig.base.json"),
			compilerOptions: {
				...{ rootDir: folder, outDir, customConditions: ["@segue/source"], lib: ["ES2023", "DOM"] },
				...{ types: ["node"], typeRoots: [path.join(root, "node_modules", "@types")] },
				...{ composite: false, sourceMap: false, declarationMap: false, emitDeclarationOnly: true },
				// The build already checks types.
				noCheck: true,
			},
			include: sources,
			exclude: sources.map((source) => `${source}/**/*.test.ts`),
		};
		const project = path.join(temporary, "tsconfig.json");
		writeFileSync(project, JSON.stringify(config));
		const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
		const { status, stdout, stderr } = runNode(temporary, [tsc, "-p", project]);
		if (status !== 0) throw new Error(`tsc failed: ${stderr}${stdout}`);
		const files = readdirSync(outDir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
		return Object.fromEntries(
			files.map((file) => [file.replaceAll("\\", "/"), readFileSync(path.join(outDir, file), "utf8")]),
		);
	} finally {
		rmSync(temporary, { recursive: true });
	}
}

/** The declaration file of a path that a package exports. */
function exportedBy({ folder, manifest }: Package, specifier: string): string {
	const { subpath } = splitSpecifier(specifier);
	const exact = manifest.exports?.[subpath];
	const target = exact ?? manifest.exports?.["./*"];
	const source = typeof target === "object" ? target["@segue/source"] : undefined;
	if (typeof source !== "string") throw new Error(`${manifest.name} exports no source for ${subpath}`);
	const file = exact === undefined ? source.replace("*", subpath.slice("./".length)) : source;
	return path.posix.join(folder, file).replace(/\.ts$/, ".d.ts");
}

function sourceOf(declaration: string): string {
	return declaration.replace(/\.d\.ts$/, ".ts");
}
