import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

// Longer than any browser takes to start and to read a small file.
const READ_MS_MAX = 60_000;

/** These hand the address over and end at once, or show their arguments to nobody else. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
	darwin: ["open"],
	win32: ["cmd", "/c", "start", ""],
};

/**
 * Opens an address in the person's browser. Where that does not work, it is printed all the same. Elsewhere a browser is
 * started with what it is to open, and every user of the machine can read that for as long as it runs; so it is a private file,
 * which leads to the address. Gives what takes the file away.
 */
export async function openInBrowser(address: string): Promise<() => Promise<void>> {
	const [command, ...args] = OPENERS[process.platform] ?? [];
	if (command !== undefined) {
		start(command, [...args, address]);
		return async () => {};
	}
	// Browsers that are kept from the rest of the system see neither temporary nor hidden folders, but this one.
	const folder = await mkdtemp(path.join(os.homedir(), "segue-opens-")).catch(() => undefined);
	if (folder === undefined) return async () => {};
	const file = path.join(folder, "playground.html");
	await writeFile(file, pageTo(address), { mode: 0o600 });
	start("xdg-open", [file]);
	const remove = () => rm(folder, { recursive: true, force: true });
	setTimeout(() => void remove(), READ_MS_MAX).unref();
	return remove;
}

function start(command: string, args: readonly string[]): void {
	const child = spawn(command, args, { stdio: "ignore", detached: true });
	child.on("error", () => {});
	child.unref();
}

/** An address has nothing in it that would end a quoted attribute. */
function pageTo(address: string): string {
	const { href } = new URL(address);
	return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${href}">
<title>Segue</title>
<a href="${href}">To the playground</a>
`;
}
