import { runSegue } from "./program.js";

await runSegue(process.argv.slice(2), process);
