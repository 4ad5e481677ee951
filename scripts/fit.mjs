// Fits the weights of the scorer: npm run fit -- cases.jsonl.br
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./tool.mjs";

const folder = mkdtempSync(path.join(os.tmpdir(), "segue-fit-"));
const outfile = path.join(folder, "fit.mjs");
await build({
	entryPoints: [path.join(root, "packages", "server", "src", "fit", "fit.ts")],
	outfile,
	bundle: true,
	format: "esm",
	platform: "node",
	conditions: ["@segue/source"],
});
process.argv.push(path.join(root, "packages", "predict", "src", "weights.ts"));
try {
	await import(pathToFileURL(outfile).href);
} finally {
	rmSync(folder, { recursive: true });
}
