// Builds the VS Code extension with its agent, and packs both into editors/vscode/dist/segue-VERSION.vsix. Needs no
// network.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";
import { LICENSES_FILE, licenseTexts } from "./licenses.mjs";
import { root } from "./tool.mjs";

const here = path.join(root, "editors", "vscode");
const dist = path.join(here, "dist");
// The grammars of the languages in packages/agent/src/outline/grammars.ts.
const GRAMMARS = ["c-sharp", "cpp", "go", "java", "javascript", "php", "python", "ruby", "rust", "tsx", "typescript"];
const bundle = path.join(root, "packages", "cli", "bundle");
if (!existsSync(path.join(bundle, "segue.js"))) {
	console.error("The agent is not built. Run this first: npm run build");
	process.exit(1);
}

rmSync(dist, { recursive: true, force: true });
const shared = {
	absWorkingDir: root,
	bundle: true,
	metafile: true,
	minify: true,
	format: "cjs",
	conditions: ["@segue/source"],
	mainFields: ["module", "main"],
	external: ["vscode"],
	// Only code that the extension does not use reads import.meta.
	logOverride: { "empty-import-meta": "silent" },
	logLevel: "warning",
};
const entryPoint = (name) => [path.join(here, "src", `${name}.ts`)];
const builds = await Promise.all([
	build({
		...shared,
		entryPoints: entryPoint("extension"),
		outfile: path.join(dist, "extension.cjs"),
		platform: "node",
		// The Node of VS Code 1.101.
		target: "node22.15",
	}),
	build({
		...shared,
		entryPoints: entryPoint("web"),
		outfile: path.join(dist, "web.cjs"),
		platform: "browser",
		target: "es2023",
	}),
]);
writeFileSync(
	path.join(dist, LICENSES_FILE),
	licenseTexts(
		root,
		builds.map(({ metafile }) => metafile),
	),
);
const agent = path.join(dist, "agent");
copyAgent(agent);

const { version } = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8"));
/** The package. */
export const packagePath = path.join(dist, `segue-${version}.vsix`);
await createVSIX({
	cwd: here,
	packagePath,
	dependencies: false,
	allowMissingRepository: true,
	rewriteRelativeLinks: false,
});
console.log(path.relative(process.cwd(), packagePath));

/**
 * Copies the part of the command that serves next edits: not the other commands, the web page or the chat, which needs
 * a native module.
 */
function copyAgent(target) {
	const copied = new Set();
	const copy = (file) => {
		if (copied.has(file)) return;
		copied.add(file);
		const code = readFileSync(path.join(bundle, file), "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
		mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
		writeFileSync(path.join(target, file), code);
		for (const [, specifier] of code.matchAll(/(?:\bfrom\s*|^import\s*)"(\.[^"]+)"/gm))
			copy(relativeTo(file, specifier));
		for (const [, specifier] of code.matchAll(/\bimport\("(\.[^"]+)"\)/g)) {
			const other = relativeTo(file, specifier);
			if (isForNextEdits(file, other)) copy(other);
		}
	};
	for (const entry of ["segue.js", "outline-worker.js", "index-worker.js"]) copy(entry);
	cpSync(path.join(bundle, LICENSES_FILE), path.join(target, LICENSES_FILE));
	writeFileSync(path.join(target, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
	copyPackage("web-tree-sitter", target, ["web-tree-sitter.js", "web-tree-sitter.wasm"]);
	const grammars = GRAMMARS.map((name) => path.join("wasm", `tree-sitter-${name}.wasm`));
	copyPackage("@vscode/tree-sitter-wasm", target, grammars);
}

/** Whether a chunk that is loaded on demand is needed. Of the commands, only `segue acp` is. */
function isForNextEdits(importer, chunk) {
	const name = path.basename(chunk).replace(/-\w+\.js$/, "");
	if (importer === "segue.js") return ["run-acp", "configuration", "user-error", "user-files"].includes(name);
	return name !== "engine-pool";
}

function relativeTo(file, specifier) {
	return path.join(path.dirname(file), specifier);
}

function copyPackage(name, target, files) {
	const from = path.join(root, "node_modules", name);
	const to = path.join(target, "node_modules", name);
	for (const file of ["package.json", "LICENSE", ...files]) {
		if (existsSync(path.join(from, file))) cpSync(path.join(from, file), path.join(to, file));
	}
}
