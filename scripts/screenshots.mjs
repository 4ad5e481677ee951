// Retakes the screenshots of the playground and the plugins in docs/: npm run screenshots
import { readdirSync } from "node:fs";
import path from "node:path";
import { root, runTool } from "./tool.mjs";

// The tests that check how pages look also take the screenshots.
const folder = path.join(root, "docs");
process.exitCode = runTool("vitest", ["run", "browser/looks.test.ts"], { SCREENSHOTS: folder, SEGUE_TESTS: "all" });
if (process.exitCode === 0) console.log(`In docs/: ${readdirSync(folder).join(", ")}`);
