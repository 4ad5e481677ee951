// Builds everything: checks all types, compiles the packages that others import, and bundles the `segue` command and
// the playground.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, transform } from "esbuild";
import { LICENSES_FILE, licenseTexts } from "./licenses.mjs";
import { root, runTool } from "./tool.mjs";

console.error("Checking types and compiling packages…");
const compiled = runTool("typescript", ["-b"]);
if (compiled !== 0) process.exit(compiled);

/** Removes zod's error messages in fifty languages, which make up half of zod and are never shown. */
const withoutLocales = {
	name: "without-locales",
	setup: ({ onLoad }) => onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "" })),
};

/** Removes zod's JSON schema code: 18 KB that the page never calls. Calls throw an error. */
const withoutJsonSchemas = {
	name: "without-json-schemas",
	setup: ({ onLoad }) =>
		onLoad(
			{ filter: /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/ },
			({ path: file }) => {
				const names = readFileSync(file, "utf8").matchAll(/^export (?:const|function) (\w+)/gm);
				const absent = Array.from(names, ([, name]) => `absent as ${name}`);
				return {
					contents: `const absent = () => () => { throw new Error("JSON schemas are not available in the page"); };
					export { ${absent.join(", ")} };`,
				};
			},
		),
};

/** Removes commander's comments, because every start parses commander and most of it is comments. */
const withoutComments = {
	name: "without-comments",
	setup: ({ onLoad }) =>
		onLoad({ filter: /[\\/]commander[\\/]lib[\\/]\w+\.js$/ }, async ({ path: file }) => {
			const { code } = await transform(readFileSync(file, "utf8"), { minify: true });
			return { contents: code };
		}),
};

/** Returns the short hash of the commit that is being built. Undefined outside a git checkout. */
function commit() {
	const git = (...args) =>
		execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
	try {
		// A copy without .git may be inside another project's checkout.
		const top = git("rev-parse", "--show-toplevel").trim();
		return realpathSync(top) === realpathSync(root) ? git("rev-parse", "--short", "HEAD").trim() : undefined;
	} catch {
		return undefined;
	}
}

console.error("Bundling the segue command…");
const cli = path.join(root, "packages", "cli");
const bundle = path.join(cli, "bundle");
rmSync(bundle, { recursive: true, force: true });
const command = await build({
	absWorkingDir: root,
	metafile: true,
	entryPoints: {
		segue: path.join(cli, "src", "segue.ts"),
		"outline-worker": path.join(root, "packages", "agent", "src", "node", "outline-worker-entry.ts"),
		"index-worker": path.join(root, "packages", "agent", "src", "workspace", "index-worker-entry.ts"),
	},
	outdir: bundle,
	bundle: true,
	// Each command's code is imported dynamically and becomes a separate chunk, so that commands start fast.
	splitting: true,
	chunkNames: "chunks/[name]-[hash]",
	format: "esm",
	platform: "node",
	target: "node20.19",
	conditions: ["@segue/source"],
	// The main file of some packages loads other files in a way that a bundler cannot follow; their module entry does
	// not.
	mainFields: ["module", "main"],
	sourcemap: true,
	// Grammars are separate files and the store is native code, so both are loaded at run time.
	external: ["libsql", "web-tree-sitter"],
	// CommonJS packages in the bundle load Node's modules with require.
	banner: {
		js: 'import { createRequire as segueRequire } from "node:module";const require = segueRequire(import.meta.url);',
	},
	plugins: [withoutLocales, withoutComments],
	define: { SEGUE_COMMIT: JSON.stringify(commit()) ?? "undefined" },
	logLevel: "warning",
});
writeLicenses(bundle, [command]);

const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

console.error("Bundling the playground…");
const playground = path.join(root, "playground", "src");
const page = path.join(bundle, "page");
const inBrowser = {
	absWorkingDir: root,
	metafile: true,
	outdir: page,
	bundle: true,
	format: "esm",
	platform: "browser",
	target: "es2023",
	conditions: ["@segue/source"],
	minify: true,
	// Stories are displayed as text.
	loader: { ".md": "text" },
	plugins: [withoutLocales, withoutJsonSchemas],
	define: { SEGUE_VERSION: JSON.stringify(version) },
	jsx: "automatic",
	jsxImportSource: "preact",
	logLevel: "warning",
};
const main = await build({
	...inBrowser,
	entryPoints: ["main.tsx", "main.css"].map((file) => path.join(playground, file)),
	splitting: true,
	chunkNames: "chunks/[name]-[hash]",
});
// Bundled separately, because a chunk shared with the page would be far larger than needed.
const matchWorker = await build({ ...inBrowser, entryPoints: [path.join(playground, "match-worker.ts")] });
const agentWorker = await build({
	...inBrowser,
	entryPoints: { "agent-worker": path.join(root, "packages", "server", "src", "acp", "worker.ts") },
});
copyFileSync(path.join(playground, "index.html"), path.join(page, "index.html"));
writeLicenses(page, [main, matchWorker, agentWorker]);

// Pages that use one of these plugins load the same worker.
for (const name of ["codemirror", "monaco"]) {
	const plugin = path.join(root, "editors", name, "bundle");
	mkdirSync(plugin, { recursive: true });
	copyFileSync(path.join(page, "agent-worker.js"), path.join(plugin, "agent-worker.js"));
	writeFileSync(path.join(plugin, "agent-worker.d.ts"), "export {};\n");
	writeLicenses(plugin, [agentWorker]);
}

/**
 * Writes the licence texts, because most licences require them to accompany every copy of the code, including a bundle.
 */
function writeLicenses(folder, builds) {
	const metafiles = builds.map(({ metafile }) => metafile);
	writeFileSync(path.join(folder, LICENSES_FILE), licenseTexts(root, metafiles));
}
