// Uses apt to install Chromium for the browser tests, the screenshots and `npm run bench -- page`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACE = "/usr/bin/chromium";

// Without a network connection, apt fails within a minute instead of trying each mirror several times.
const BOUNDS = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20"];

const named = process.env.CHROMIUM;
if (named !== undefined && existsSync(named)) console.log(`Chromium is at ${named}, set by CHROMIUM.`);
else if (existsSync(PLACE)) console.log(`Chromium is already installed at ${PLACE}.`);
else if (!has("apt-get")) {
	stop("apt was not found. Install Chromium yourself and set its path: CHROMIUM=/path npm test");
} else {
	const isRoot = process.getuid?.() === 0;
	if (!isRoot && !has("sudo")) stop("This needs root or sudo. As root, run: apt-get install chromium");
	console.log(`Installing Chromium with apt${isRoot ? "" : ", which may ask for your password"}…`);
	apt(isRoot, ["update"]);
	apt(isRoot, ["install", "--yes", "--no-install-recommends", "chromium"]);
	if (!existsSync(PLACE)) {
		stop(`apt did not install Chromium at ${PLACE}. Find it and set its path: CHROMIUM=/path npm test`);
	}
	console.log(`Chromium is at ${PLACE}. npm test now includes the browser tests.`);
}

function has(program) {
	return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

function apt(isRoot, args) {
	const [program, ...rest] = [...(isRoot ? [] : ["sudo"]), "apt-get", ...BOUNDS, ...args];
	const { status } = spawnSync(program, rest, { stdio: "inherit" });
	if (status !== 0) stop(`apt-get ${args[0]} failed. See the output above.`);
}

function stop(text) {
	console.error(text);
	process.exit(1);
}
