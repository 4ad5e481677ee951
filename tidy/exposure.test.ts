import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findWireTypes } from "./exposure.js";
import { packagesOf } from "./packages.js";
import { type Tree, writeTree } from "./tree.js";

let folder = "";

afterEach(() => rmSync(folder, { recursive: true }));

function manifest(name: string, dependencies: readonly string[], ...paths: readonly string[]): string {
	const exports = paths.map((file) => [
		file === "index" ? "." : `./${file}`,
		{ "@segue/source": `./src/${file}.ts`, types: `./dist/${file}.d.ts` },
	]);
	return JSON.stringify({
		name: `@segue/${name}`,
		type: "module",
		exports: Object.fromEntries(exports),
		dependencies: Object.fromEntries(dependencies.map((each) => [`@segue/${each}`, "1.0.0"])),
	});
}

/** An agent that exposes a package's plain type. The package also exports a wire type for servers. */
const workspace = {
	"packages/rpc/package.json": manifest("rpc", [], "index"),
	"packages/rpc/src/index.ts": "export interface Channel { send(text: string): void }\n",
	"packages/assist/package.json": manifest("assist", ["rpc"], "index", "acp"),
	"packages/assist/src/index.ts": `export { Assist, type Other } from "./assist.js";\n`,
	"packages/assist/src/assist.ts": `
		import type { Channel } from "@segue/rpc";
		export interface Other { readonly name: string }
		export class Assist {
			private readonly channel: Channel | undefined;
			readonly other: Other = { name: "" };
			send() { this.channel?.send(this.other.name); }
		}
	`,
	"packages/assist/src/acp.ts": `
		import type { Channel } from "@segue/rpc";
		import type { Other } from "./assist.js";
		export interface Wired extends Other { readonly channel: Channel }
		export function wired(channel: Channel): Wired { return { name: "", channel }; }
	`,
	"packages/agent/package.json": manifest("agent", ["assist"], "*"),
	"packages/agent/src/chat/engine.ts": `
		import { Assist, type Other } from "@segue/assist";
		export interface Engine { readonly assist: Assist; readonly other: Other }
		export const assist = new Assist();
	`,
};

function wireTypesIn(tree: Tree): string[] {
	folder = mkdtempSync(path.join(tmpdir(), "segue-exposure-"));
	writeTree(folder, tree);
	mkdirSync(path.join(folder, "node_modules", "@segue"), { recursive: true });
	for (const { folder: below, title } of packagesOf(tree)) {
		symlinkSync(path.join(folder, below), path.join(folder, "node_modules", "@segue", title), "junction");
	}
	return findWireTypes(folder, tree);
}

describe("a wire type that the agent exposes", () => {
	test("does not include private members or exports that the agent does not import", () => {
		expect(wireTypesIn(workspace)).toEqual([]);
	});

	test("is found in another package's type, with the path of imports", () => {
		const findings = wireTypesIn({
			...workspace,
			"packages/assist/src/assist.ts": `
				import type { Start } from "./start.js";
				export interface Other { readonly name: string }
				export class Assist { constructor(readonly start?: Start) {} }
			`,
			"packages/assist/src/start.ts": `
				import type { Channel } from "@segue/rpc";
				export type Start = () => Channel;
			`,
		});
		expect(findings).toEqual([
			"packages/assist/src/start.ts:1 has types of @segue/rpc, which agent exposes (packages/agent/src/chat/engine.ts → " +
				"packages/assist/src/index.ts → packages/assist/src/assist.ts → packages/assist/src/start.ts): " +
				"expose a plain type, and export the wire type from a path that agent does not import",
		]);
	});

	test("is found if the compiler infers it and the agent's sources do not name it", () => {
		const findings = wireTypesIn({
			...workspace,
			"packages/assist/src/index.ts": `
				import type { Channel } from "@segue/rpc";
				export function open() { return undefined as unknown as { readonly channel: Channel }; }
			`,
			"packages/agent/src/chat/engine.ts": `
				import { open } from "@segue/assist";
				export function channel() { return open().channel; }
			`,
		});
		expect(findings).toContainEqual(
			expect.stringMatching(/^packages\/agent\/src\/chat\/engine\.ts:1 has types of @segue\/rpc/),
		);
	});

	test("is found through an export for servers", () => {
		const findings = wireTypesIn({
			...workspace,
			"packages/agent/src/chat/engine.ts": `
				import type { Wired } from "@segue/assist/acp";
				export interface Engine { readonly other: Wired }
			`,
		});
		expect(findings).toEqual([expect.stringMatching(/^packages\/assist\/src\/acp\.ts:1 has types of @segue\/rpc/)]);
	});
});
