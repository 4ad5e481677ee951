// Retakes the screenshots of the playground in docs/: npm run screenshots
import { readdirSync } from "node:fs";
import path from "node:path";
import { root, runTool } from "./tool.mjs";

// The test that checks the page at these sizes also takes the screenshots.
const folder = path.join(root, "docs");
process.exitCode = runTool("vitest", ["run", "playground/browser/looks.test.ts"], { SCREENSHOTS: folder });
if (process.exitCode === 0) console.log(`In docs/: ${readdirSync(folder).join(", ")}`);
