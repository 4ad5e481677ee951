import { expect, test } from "vitest";
import { findForbiddenArrows, findNodeInBrowserCode, findUndeclaredImports } from "./arrows.js";
import { findDeadCode } from "./dead.js";
import { findWireTypes } from "./exposure.js";
import { findDuplicateExports, findOldNames, findUnqualifiedWireNames } from "./identifiers.js";
import { findMissingLicenses } from "./licenses.js";
import { findBrokenLinks } from "./links.js";
import { findLockfileGaps, findLooseVersions, findRegistryAddresses, findUnlikeManifests } from "./manifests.js";
import { findMachinePaths, findVagueNames } from "./names.js";
import { packagesOf } from "./packages.js";
import { findUnclearProse } from "./prose.js";
import { findCrowdedFolders, findFragments, findImportCycles, findRepeatedNames } from "./structure.js";
import { readTree, root } from "./tree.js";

// Checks the repository against every rule. Each rule has its own tests in a file next to it.

const tree = readTree(root);

test("reads sources and manifests, but nothing that is installed or built", () => {
	const files = Object.keys(tree);
	expect(files).toEqual(
		expect.arrayContaining(["tidy/tidy.test.ts", "packages/text/src/index.ts", "package-lock.json"]),
	);
	expect(files.filter((file) => /(?:^|\/)(?:node_modules|dist|\.git)\//.test(file))).toEqual([]);
	expect(packagesOf(tree).map(({ folder }) => folder)).toEqual(expect.arrayContaining(["", "lab", "packages/text"]));
});

test("every import is declared in its package's manifest", () => {
	expect(findUndeclaredImports(tree)).toEqual([]);
});

test("packages import only allowed packages and exported paths", () => {
	expect(findForbiddenArrows(tree)).toEqual([]);
});

test("the agent exposes no protocol or connection types", () => {
	expect(findWireTypes(root, tree)).toEqual([]);
});

test("browser code imports nothing from Node", () => {
	expect(findNodeInBrowserCode(tree)).toEqual([]);
});

// Slow, so runs only with `npm test -- --all`.
test.runIf(process.env["SEGUE_TESTS"] === "all")("no file, export or dependency is unused", () => {
	expect(findDeadCode(root)).toEqual([]);
});

test("each bundle contains the licence texts of its packages", () => {
	expect(findMissingLicenses(root, tree)).toEqual([]);
});

test("every link in the documentation works", () => {
	expect(findBrokenLinks(tree)).toEqual([]);
});

test("comments, strings and documents are in plain English", () => {
	expect(findUnclearProse(tree)).toEqual([]);
});

test("no file or folder has a vague name", () => {
	expect(findVagueNames(tree)).toEqual([]);
});

test("no folder has too many source files", () => {
	expect(findCrowdedFolders(tree)).toEqual([]);
});

test("no two files in a package have the same name", () => {
	expect(findRepeatedNames(tree)).toEqual([]);
});

test("a small file with one importer is listed with a reason", () => {
	expect(findFragments(tree)).toEqual([]);
});

test("no files import each other, including types", () => {
	expect(findImportCycles(tree)).toEqual([]);
});

test("no two packages declare the same exported name", () => {
	expect(findDuplicateExports(tree)).toEqual([]);
});

test("wire names are imported qualified", () => {
	expect(findUnqualifiedWireNames(tree)).toEqual([]);
});

test("no replaced name is used", () => {
	expect(findOldNames(tree)).toEqual([]);
});

test("no file contains a machine-specific path", () => {
	expect(findMachinePaths(tree)).toEqual([]);
});

test("every manifest has the common version, licence and Node version", () => {
	expect(findUnlikeManifests(tree)).toEqual([]);
});

test("every dependency has one exact version everywhere", () => {
	expect(findLooseVersions(tree)).toEqual([]);
});

test("the lockfile contains no registry address", () => {
	expect(findRegistryAddresses(tree)).toEqual([]);
});

test("the lockfile contains the packages for every system", () => {
	expect(findLockfileGaps(tree)).toEqual([]);
});
