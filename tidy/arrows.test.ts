import { describe, expect, test } from "vitest";
import { findForbiddenArrows, findNodeInBrowserCode, findUndeclaredImports } from "./arrows.js";

/** Returns a workspace with these packages, manifests and sources. */
function workspace(packages: Record<string, object>, sources: Record<string, string>): Record<string, string> {
	const manifests = Object.entries(packages).map(([folder, declared]) => {
		const name = `@segue/${folder.replace("packages/", "")}`;
		return [`${folder}/package.json`, JSON.stringify({ name, exports: { ".": {}, "./node": {} }, ...declared })];
	});
	const rootManifest = JSON.stringify({ name: "segue", devDependencies: { vitest: "1.0.0" } });
	return { "package.json": rootManifest, ...Object.fromEntries(manifests), ...sources };
}

describe("an undeclared import", () => {
	const declared = {
		dependencies: { zod: "1.0.0" },
		peerDependencies: { ai: "1.0.0" },
		devDependencies: { ws: "1.0.0" },
	};

	test.for([
		["a package that is not declared", "packages/text/src/a.ts", `import "hono"`, "dependencies"],
		["a path in an undeclared package", "packages/text/src/a.ts", `import "@hono/node/deep/path.js"`, "dependencies"],
		[
			"only a type from an undeclared package",
			"packages/text/src/a.ts",
			`import type { A } from "hono"`,
			"dependencies",
		],
		["a development dependency, in a source file", "packages/text/src/a.ts", `import "ws"`, "dependencies"],
		["a package that only the root declares", "packages/text/src/a.test.ts", `import "vitest"`, "devDependencies"],
		["a package that the root does not declare, at the root", "scripts/a.mjs", `import "zod"`, "devDependencies"],
		["one of our own packages", "packages/text/src/a.ts", `import "@segue/rpc"`, "dependencies"],
	] as const)("is found: %s", ([, file, source, section]) => {
		const tree = workspace({ "packages/text": declared, "packages/rpc": {} }, { [file]: `\n${source}` });
		const [finding, ...others] = findUndeclaredImports(tree);
		expect(finding).toMatch(
			new RegExp(`^${file}:2 imports .*, which .*package.json does not declare: add it to ${section}$`),
		);
		expect(others).toEqual([]);
	});

	test.for([
		["a dependency", "packages/text/src/a.ts", `import "zod/v4"`],
		["a peer", "packages/text/src/a.ts", `import "ai"`],
		["a development dependency, in a test", "packages/text/src/a.test.ts", `import "ws"`],
		["a development dependency, in a bundled package", "packages/cli/src/a.ts", `import "ws"`],
		["a dependency of the root, at the root", "tidy/a.ts", `import "vitest/config"`],
		["a built-in module of Node", "packages/text/src/a.ts", `import "node:fs"; import "fs/promises"`],
		["a file in the same package", "packages/text/src/a.ts", `import "./b.js"`],
		["the package itself", "packages/text/src/a.test.ts", `import "@segue/text"`],
	] as const)("does not include %s", ([, file, source]) => {
		expect(
			findUndeclaredImports(workspace({ "packages/text": declared, "packages/cli": declared }, { [file]: source })),
		).toEqual([]);
	});

	test("does not include a type import if its types package is declared, but includes a value import", () => {
		const packages = { "packages/text": { dependencies: { "@types/ws": "1.0.0", "@types/a__b": "1.0.0" } } };
		const types = { "packages/text/src/a.ts": `import type { A } from "ws"; import type { B } from "@a/b"` };
		expect(findUndeclaredImports(workspace(packages, types))).toEqual([]);
		const values = { "packages/text/src/a.ts": `import { A } from "ws"` };
		expect(findUndeclaredImports(workspace(packages, values))).toHaveLength(1);
	});
});

describe("a forbidden arrow", () => {
	const all = {
		"packages/text": {},
		"packages/rpc": {},
		"packages/protocol": {},
		"packages/predict": {},
		"packages/agent": { exports: { ".": "./index.js", "./*": "./*.js" } },
		"packages/server": { exports: undefined },
		"packages/cli": {},
		"packages/editor": {},
		"packages/story": {},
		"packages/testing": {},
		lab: {},
	};

	test.for([
		["text", "@segue/rpc", "text may not import rpc"],
		["predict", "@segue/protocol", "predict may not import protocol: predict is independent of protocols"],
		["protocol", "@segue/predict", "protocol may not import predict: protocol is independent of prediction"],
		["agent", "@segue/protocol", "agent may not import protocol: the agent is independent of protocols"],
		["agent", "@segue/rpc", "agent may not import rpc: the agent is independent of protocols"],
		["agent", "@segue/server", "packages/server/package.json does not export"],
		["server", "@segue/cli", "server may not import cli"],
		["server", "@segue/editor", "server may not import editor"],
		["agent", "@segue/cli", "agent may not import cli"],
		["server", "@segue/testing", "is only for tests and lab"],
		["text", "@segue/rpc/src/lines.js", "packages/rpc/package.json does not export"],
		["testing", "@segue/server", "packages/server/package.json does not export"],
		["text", "../../rpc/src/lines.js", "is outside the package"],
		["text", "../../../../outside.js", "is outside the package"],
	] as const)("is found from %s to %s", ([from, to, because]) => {
		const file = `packages/${from}/src/a.ts`;
		const findings = findForbiddenArrows(workspace(all, { [file]: `\n\nimport type { A } from "${to}"` }));
		expect(findings).toEqual([expect.stringContaining(because)]);
		expect(findings).toEqual([expect.stringContaining(`${file}:3 imports ${to}`)]);
	});

	test.for([
		["packages/protocol/src/a.ts", "@segue/rpc"],
		["packages/rpc/src/a.test.ts", "@segue/testing"],
		["packages/predict/src/a.test.ts", "@segue/story"],
		["packages/server/src/a.ts", "@segue/rpc/node"],
		["packages/server/src/a.ts", "@segue/agent/next-edit/session"],
		["packages/server/src/a.test.ts", "@segue/editor"],
		["packages/testing/src/a.ts", "@segue/predict"],
		["lab/src/a.ts", "@segue/testing"],
		["packages/text/src/deep/a.ts", "../b.js"],
		["packages/text/src/a.test.ts", "@segue/text"],
		["tidy/a.ts", "./b.js"],
		["packages/text/src/a.ts", "../../../stories/rename.story.md"],
	] as const)("does not include what the table allows: from %s to %s", ([file, to]) => {
		expect(findForbiddenArrows(workspace(all, { [file]: `import "${to}"` }))).toEqual([]);
	});

	test("is found from the root's files to a package and to a path outside the repository", () => {
		const sources = { "tidy/a.ts": `import "../packages/text/src/a.js"; import "../../outside.js"` };
		expect(findForbiddenArrows(workspace(all, sources))).toHaveLength(2);
	});

	test("is also found in a test", () => {
		const findings = findForbiddenArrows(workspace(all, { "packages/predict/src/a.test.ts": `import "@segue/rpc"` }));
		expect(findings).toEqual([expect.stringContaining("predict may not import rpc")]);
	});

	test("is reported for a package that is missing from the table", () => {
		const findings = findForbiddenArrows(workspace({ "packages/cloud": {} }, {}));
		expect(findings).toEqual([
			expect.stringMatching(/^packages\/cloud\/package.json:1 .*add a row with the packages it may import$/),
		]);
	});
});

describe("Node in browser code", () => {
	const packages = {
		"packages/rpc": {},
		"packages/editor": {},
		"packages/models": {},
		"packages/agent": {},
		"packages/server": {},
	};

	test.for([
		["packages/rpc/src/a.ts", "node:fs"],
		["packages/rpc/src/a.ts", "fs"],
		["packages/rpc/src/a.ts", "fs/promises"],
		["packages/editor/src/nodes.ts", "node:os"],
		["packages/editor/src/nodes/a.ts", "node:os"],
		["packages/rpc/src/index.ts", "./node/streams.js"],
		["packages/editor/src/index.ts", "./node.js"],
		["packages/editor/src/index.ts", "@segue/rpc/node"],
		["packages/editor/src/index.ts", "vscode-jsonrpc/node.js"],
		["packages/agent/src/next-edit/a.ts", "node:fs"],
		["packages/agent/src/outline/a.ts", "../node/b.js"],
		["packages/agent/src/next-edit/a.ts", "../config/b.js"],
		["packages/agent/src/index.ts", "./chat/b.js"],
		["packages/server/src/acp/a.ts", "node:fs"],
		["packages/server/src/acp/a.ts", "./chat/b.js"],
		["packages/server/src/acp/a.ts", "@segue/agent/chat/b"],
		["packages/server/src/acp/a.ts", "@segue/models"],
	] as const)("is found in %s if it imports %s", ([file, to]) => {
		const findings = findNodeInBrowserCode(workspace(packages, { [file]: `import type A from "${to}"` }));
		expect(findings).toEqual([expect.stringContaining(`${file}:1 imports ${to}, but`)]);
	});

	test.for([
		["packages/rpc/src/node/streams.ts", "node:fs"],
		["packages/editor/src/node.ts", "node:fs"],
		["packages/rpc/src/a.test.ts", "node:fs"],
		["packages/models/src/a.ts", "node:fs"],
		["packages/agent/src/config/a.ts", "node:fs"],
		["packages/server/src/acp/chat/a.ts", "node:fs"],
		["packages/server/src/acp/a.ts", "@segue/agent/next-edit/b"],
		["packages/server/src/acp/a.ts", "@segue/agent"],
		["packages/server/src/acp/a.ts", "./b.js"],
		["packages/editor/src/a.ts", "@segue/rpc"],
		["packages/editor/src/a.ts", "./nodes.js"],
		["scripts/a.mjs", "node:fs"],
	] as const)("is not found in %s if it imports %s", ([file, to]) => {
		expect(findNodeInBrowserCode(workspace(packages, { [file]: `import "${to}"` }))).toEqual([]);
	});
});
