#!/usr/bin/env node
// npm links a command only if its file exists at install time, so this one is committed and the built code is not.
import { existsSync } from "node:fs";

// A Node that is too old must still be able to read this file, so there is no top-level await in it.
const [major, minor] = process.versions.node.split(".").map(Number);
const built = new URL("../bundle/segue.js", import.meta.url);

if (major < 20 || (major === 20 && minor < 19)) {
	console.error(`segue needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
	process.exitCode = 1;
} else if (existsSync(built)) void import(built.href);
else {
	console.error("segue is not built yet. In the folder of the Segue repository, run: npm run build");
	process.exitCode = 1;
}
