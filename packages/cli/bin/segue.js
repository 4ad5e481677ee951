#!/usr/bin/env node
// npm links a command only if its file exists at install time, so this one is committed and the built code is not.
import { existsSync } from "node:fs";

// A Node that is too old must still be able to read this file, so there is no top-level await in it.
const [major, minor] = process.versions.node.split(".").map(Number);
const built = new URL("../bundle/segue.js", import.meta.url);

if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`segue: Node ${process.versions.node} is too old. Install Node 20.19 or newer.`);
	process.exitCode = 1;
} else if (existsSync(built)) void import(built.href);
else {
	console.error("segue: Not built yet. In the folder of the Segue repository, run: npm run build");
	process.exitCode = 1;
}
