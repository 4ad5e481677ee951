// Runs before `npm start` and `npm test`: installs missing dependencies, then builds. It has no dependencies itself and
// uses old syntax, so that an outdated Node can run it and print the error message.
"use strict";

var childProcess = require("child_process");
var fs = require("fs");
var path = require("path");

var NODE_MIN = [20, 19];

var root = path.join(__dirname, "..");
var version = process.versions.node.split(".").map(Number);
if (version[0] < NODE_MIN[0] || (version[0] === NODE_MIN[0] && version[1] < NODE_MIN[1])) {
	stop("Segue needs Node " + NODE_MIN.join(".") + " or newer. This is Node " + process.versions.node + ".");
}

if (isInstalled()) say("Dependencies are up to date.");
else {
	say("Installing dependencies (npm ci); this can take a minute…");
	run(
		npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]),
		"Installation failed. See the output above. Is the npm registry reachable?",
	);
}
run([process.execPath, [path.join(root, "scripts", "build.mjs")]], "The build failed. See the output above.");

/**
 * Whether everything in the lockfile is installed. npm writes node_modules/.package-lock.json last, so it is newer than
 * the lockfile after a complete installation.
 */
function isInstalled() {
	try {
		var installed = fs.statSync(path.join(root, "node_modules", ".package-lock.json")).mtimeMs;
		return installed >= fs.statSync(path.join(root, "package-lock.json")).mtimeMs;
	} catch (_error) {
		return false;
	}
}

/**
 * Returns the command for the npm that started this script, or for the npm on the PATH after a plain `node
 * scripts/setup.cjs`.
 */
function npm(args) {
	if (process.env.npm_execpath) return [process.execPath, [process.env.npm_execpath].concat(args)];
	return [process.platform === "win32" ? "npm.cmd" : "npm", args];
}

function run(command, failure) {
	var isScript = /\.cmd$/.test(command[0]);
	var result = childProcess.spawnSync(command[0], command[1], { cwd: root, stdio: "inherit", shell: isScript });
	if (result.signal) process.kill(process.pid, result.signal);
	if (result.error) stop(failure + " (" + result.error.message + ")");
	if (result.status !== 0) stop(failure);
}

/** Prints progress to standard error, because standard output belongs to the command that follows. */
function say(text) {
	console.error(text);
}

function stop(text) {
	say(text);
	if (process.env.npm_lifecycle_event === "pretest") console.log("0 passed, 1 failed");
	process.exit(1);
}
