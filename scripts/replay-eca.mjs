// Plays recorded conversations of ECA editors against segue eca: npm run replay:eca -- capture.jsonl...
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./tool.mjs";

if (process.argv.length < 3) {
	console.error("Say which captures to play: npm run replay:eca -- capture.jsonl...");
	process.exit(2);
}
// Packages that are not bundled are found from here.
const folder = mkdtempSync(path.join(root, "node_modules", ".segue-replay-"));
const outfile = path.join(folder, "replay.mjs");
process.argv.splice(2, 0, path.join(root, "packages", "cli", "bin", "segue.js"));
try {
	await build({
		entryPoints: [path.join(root, "packages", "testing", "src", "replay", "command.ts")],
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
		target: "node20",
		conditions: ["@segue/source"],
	});
	await import(pathToFileURL(outfile).href);
} finally {
	rmSync(folder, { recursive: true });
}
