// Fits the scorers: npm run fit -- cases.jsonl.br, or npm run fit -- completion cases.jsonl.br
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./tool.mjs";

const isCompletion = process.argv[2] === "completion";
if (isCompletion) process.argv.splice(2, 1);
const [program, output] = isCompletion
	? ["fit-completion.ts", "completion/completion-weights.ts"]
	: ["fit.ts", "ranking"];

// In node_modules, so that packages that are not bundled can be resolved.
const folder = mkdtempSync(path.join(root, "node_modules", ".segue-fit-"));
const outfile = path.join(folder, "fit.mjs");
process.argv.push(path.join(root, "packages", "predict", "src", output));
try {
	await build({
		entryPoints: [path.join(root, "lab", "src", "fit", program)],
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
		conditions: ["@segue/source"],
		external: ["web-tree-sitter"],
	});
	await import(pathToFileURL(outfile).href);
} finally {
	rmSync(folder, { recursive: true });
}
