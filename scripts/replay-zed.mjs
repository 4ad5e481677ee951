// Compares prompts and answers with Zed's: npm run replay:zed -- FOLDER, with prompts.jsonl and answers.jsonl in the
// folder
import { runSource } from "./tool.mjs";

if (process.argv.length !== 3) {
	console.error("Specify the folder that contains the captures: npm run replay:zed -- FOLDER");
	process.exit(2);
}
await runSource("packages", "testing", "src", "replay", "zed.ts");
