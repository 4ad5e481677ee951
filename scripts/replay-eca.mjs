// Replays recorded sessions of ECA editors against segue eca: npm run replay:eca -- capture.jsonl...
import path from "node:path";
import { root, runSource } from "./tool.mjs";

if (process.argv.length < 3) {
	console.error("Specify the captures to replay: npm run replay:eca -- capture.jsonl...");
	process.exit(2);
}
process.argv.splice(2, 0, path.join(root, "packages", "cli", "bin", "segue.js"));
await runSource("packages", "testing", "src", "replay", "command.ts");
