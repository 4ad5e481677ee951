import { describe, expect, test } from "vitest";
import { findLockfileGaps, findLooseVersions, findRegistryAddresses, findUnlikeManifests } from "./manifests.js";

const good = { name: "segue", version: "0.1.0", license: "Apache-2.0", engines: { node: ">=20.19" } };

function manifests(...all: readonly object[]): Record<string, string> {
	return Object.fromEntries(
		all.map((manifest, i) => {
			const file = i === 0 ? "package.json" : `packages/p${i}/package.json`;
			return [file, JSON.stringify({ ...good, ...manifest }, null, 2)];
		}),
	);
}

describe("a manifest", () => {
	test("is reported if its version, licence or Node version is different", () => {
		const tree = manifests({}, { version: "0.2.0" }, { license: "MIT" }, { engines: { node: ">=18" } });
		expect(findUnlikeManifests(tree)).toEqual([
			"packages/p1/package.json:3 has version 0.2.0: make it 0.1.0",
			"packages/p2/package.json:4 has license MIT: make it Apache-2.0",
			"packages/p3/package.json:5 has engines >=18: make it >=20.19",
		]);
	});

	test("is reported if they are missing", () => {
		const tree = manifests({}, { version: undefined, license: undefined, engines: undefined });
		expect(findUnlikeManifests(tree)).toHaveLength(3);
	});

	test("may omit the Node version if it is private", () => {
		expect(findUnlikeManifests(manifests({ private: true, engines: undefined }))).toEqual([]);
	});
});

describe("a version", () => {
	test.for(["^1.2.3", "~1.2.3", "1.2", "*", "latest", ">=1.0.0", "1.x", "", "file:../a", "workspace:*"])(
		"is found if it is loose: %s",
		(wanted) => {
			for (const section of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]) {
				if (section === "peerDependencies" && wanted === "^1.2.3") continue;
				const findings = findLooseVersions(manifests({ [section]: { zod: wanted } }));
				expect(findings).toEqual([`package.json:9 requires zod ${wanted}: use an exact version, such as 1.2.3`]);
			}
		},
	);

	test("is reported if another package requires a different one", () => {
		const tree = manifests({}, { dependencies: { zod: "4.0.0" } }, { devDependencies: { zod: "4.0.1" } });
		const [finding, ...others] = findLooseVersions(tree);
		expect(finding).toBe(
			"packages/p2/package.json:9 requires zod 4.0.1, but packages/p1/package.json:9 requires 4.0.0: use one version",
		);
		expect(others).toEqual([]);
	});

	test("of one of our packages is reported if it is not the root's version", () => {
		const tree = manifests(
			{},
			{ name: "@segue/text" },
			{ name: "@segue/rpc", dependencies: { "@segue/text": "0.0.9" } },
		);
		expect(findLooseVersions(tree)).toEqual([
			"packages/p2/package.json:9 requires @segue/text 0.0.9, one of our packages: make it 0.1.0",
		]);
	});

	test("may be a range from the version used here, if the program that embeds the package chooses it", () => {
		const ranged = { peerDependencies: { zod: "^4.0.1" } };
		expect(findLooseVersions(manifests({ devDependencies: { zod: "4.0.1" } }, ranged))).toEqual([]);
		expect(findLooseVersions(manifests({ devDependencies: { zod: "4.0.2" } }, ranged))).toHaveLength(1);
	});

	test("may be exact, a prerelease, and the same everywhere", () => {
		const dependencies = { zod: "4.0.0", vite: "8.0.0-beta.1", "@segue/text": "0.1.0" };
		expect(findLooseVersions(manifests({}, { name: "@segue/text" }, { dependencies }, { dependencies }))).toEqual([]);
	});
});

describe("the lockfile", () => {
	const lockfile = (resolved: string) => ({ "package-lock.json": JSON.stringify({ a: { resolved } }, null, 2) });

	test("is reported if it contains a registry address", () => {
		expect(findRegistryAddresses(lockfile("https://registry.example.com/a/-/a-1.0.0.tgz"))).toEqual([
			expect.stringContaining("package-lock.json:3 contains https://registry.example.com/a/-/a-1.0.0.tgz"),
		]);
	});

	test("may contain folders in the workspace", () => {
		expect(findRegistryAddresses(lockfile("packages/text"))).toEqual([]);
	});

	test("is reported if a package for another system is missing", () => {
		const lockOf = (...held: readonly string[]) => {
			const tool = { version: "1.0.0", optionalDependencies: { "@tool/linux": "1.0.0", "@tool/darwin": "1.0.0" } };
			const packages = Object.fromEntries(held.map((name) => [`node_modules/${name}`, { version: "1.0.0" }]));
			return { "package-lock.json": JSON.stringify({ packages: { "node_modules/tool": tool, ...packages } }) };
		};
		expect(findLockfileGaps(lockOf("@tool/linux", "@tool/darwin"))).toEqual([]);
		expect(findLockfileGaps(lockOf("@tool/linux"))).toEqual([
			expect.stringContaining("node_modules/tool needs @tool/darwin on some systems, but it is missing"),
		]);
	});
});
