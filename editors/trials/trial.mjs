// Plays stories in an editor with Segue's own plugin: npm run trial -- vscode
const TRIALS = { vscode: "./vscode.mjs" };

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(TRIALS, name)) {
	console.error(`Usage: npm run trial -- ${Object.keys(TRIALS).join("|")}`);
	process.exit(2);
}
const { run } = await import(TRIALS[name]);
process.exitCode = await run(args);
