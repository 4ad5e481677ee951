import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
};

const INDEX = "/index.html";
/** Licenses of the bundled packages, which must be distributed with the page. */
const LICENSES = "THIRD-PARTY-LICENSES.txt";
const NONCE = "{{nonce}}";

/** Serves the page's files from memory, so a request can never reach other files on disk. */
export class StaticPage {
	private loaded: Files | undefined;

	private constructor(private readonly folder: string) {}

	/** Returns undefined if the page was not built. The files are read on the first request. */
	static load(folder = folderOf()): StaticPage | undefined {
		return folder === undefined ? undefined : new StaticPage(folder);
	}

	/** Responds with one of the page's files. Returns false if there is no such file. */
	answer(request: IncomingMessage, response: ServerResponse, pathname: string): boolean {
		this.loaded ??= readFiles(this.folder);
		const { index, files } = this.loaded;
		for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
		// A worker uses the policy of its own script, so send a policy with every file.
		const nonce = randomBytes(16).toString("base64");
		response.setHeader("content-security-policy", policyFor(nonce, request.headers.host ?? ""));
		if (pathname === "/" || pathname === INDEX) {
			response.setHeader("content-type", TYPES[".html"] ?? "");
			response.setHeader("cache-control", "no-store");
			response.end(index.replace(NONCE, nonce));
			return true;
		}
		const file = files.get(pathname);
		if (file === undefined) return false;
		const isZipped = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
		response.setHeader("content-type", file.type);
		// Browsers must revalidate cached files, because other versions of Segue use the same file names.
		response.setHeader("cache-control", "no-cache");
		response.setHeader("vary", "accept-encoding");
		if (isZipped) response.setHeader("content-encoding", "gzip");
		response.end(isZipped ? file.zipped : file.plain);
		return true;
	}
}

interface Files {
	readonly index: string;
	readonly files: ReadonlyMap<string, { readonly type: string; readonly plain: Buffer; readonly zipped: Buffer }>;
}

function readFiles(folder: string): Files {
	const files = new Map<string, { readonly type: string; readonly plain: Buffer; readonly zipped: Buffer }>();
	for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
		const type = name === LICENSES ? "text/plain; charset=utf-8" : TYPES[path.extname(name)];
		if (type === undefined) continue;
		const plain = readFileSync(path.join(folder, name));
		// Files are compressed only once, so use the best compression.
		const zipped = gzipSync(plain, { level: 9 });
		files.set(`/${name.split(path.sep).join("/")}`, { type, plain, zipped });
	}
	return { index: readFileSync(path.join(folder, INDEX), "utf8"), files };
}

const HEADERS: Readonly<Record<string, string>> = {
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
};

/** Allows only our own scripts and styles, and connections only to this server. */
function policyFor(nonce: string, host: string): string {
	return [
		"default-src 'none'",
		"script-src 'self'",
		`style-src 'self' 'nonce-${nonce}'`,
		// In some browsers, 'self' does not cover WebSockets to the same host.
		`connect-src 'self' ws://${host}`,
		"worker-src 'self'",
		"img-src 'self' data:",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join("; ");
}

/** Finds the page next to the CLI's bundle or, when running from source, in the build output. */
function folderOf(): string | undefined {
	const places = ["../page", "./page", "../../../cli/bundle/page"];
	const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
	return folders.find((folder) => existsSync(path.join(folder, INDEX)));
}
