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
import { findCrowdedFolders, findFragments, findImportCycles, findRepeatedNames } from "./structure.js";
import { readTree, root } from "./tree.js";

// The repository itself, held against every rule. That each rule finds what it should is tested beside the rule.

const tree = readTree(root);

test("the rules look at the sources, the manifests and nothing that is installed or built", () => {
	const files = Object.keys(tree);
	expect(files).toEqual(
		expect.arrayContaining(["tidy/tidy.test.ts", "packages/text/src/index.ts", "package-lock.json"]),
	);
	expect(files.filter((file) => /(?:^|\/)(?:node_modules|dist|\.git)\//.test(file))).toEqual([]);
	expect(packagesOf(tree).map(({ folder }) => folder)).toEqual(expect.arrayContaining(["", "lab", "packages/text"]));
});

test("every import is declared by the package that has it", () => {
	expect(findUndeclaredImports(tree)).toEqual([]);
});

test("packages import each other only along the arrows, and only what is exported", () => {
	expect(findForbiddenArrows(tree)).toEqual([]);
});

test("the agent exposes no type of a protocol or a connection", () => {
	expect(findWireTypes(root, tree)).toEqual([]);
});

test("code that also runs in browsers imports nothing of Node", () => {
	expect(findNodeInBrowserCode(tree)).toEqual([]);
});

// Slow, so only with `npm test -- --all`.
test.runIf(process.env["SEGUE_TESTS"] === "all")("no file, export or dependency is dead", () => {
	expect(findDeadCode(root)).toEqual([]);
});

test("the licence texts of bundled packages go with each bundle", () => {
	expect(findMissingLicenses(root, tree)).toEqual([]);
});

test("every link of a document leads somewhere", () => {
	expect(findBrokenLinks(tree)).toEqual([]);
});

test("every file and folder is named for an idea of the domain", () => {
	expect(findVagueNames(tree)).toEqual([]);
});

test("no folder has more source files than a reader takes in at a glance", () => {
	expect(findCrowdedFolders(tree)).toEqual([]);
});

test("no two files of a package have the same name", () => {
	expect(findRepeatedNames(tree)).toEqual([]);
});

test("a small file with one importer is part of it, unless the table gives a reason", () => {
	expect(findFragments(tree)).toEqual([]);
});

test("no files import each other, not even for types", () => {
	expect(findImportCycles(tree)).toEqual([]);
});

test("no two packages export a declaration of the same name", () => {
	expect(findDuplicateExports(tree)).toEqual([]);
});

test("names of a wire are imported qualified", () => {
	expect(findUnqualifiedWireNames(tree)).toEqual([]);
});

test("no name that was replaced comes back", () => {
	expect(findOldNames(tree)).toEqual([]);
});

test("no file holds a path of one machine", () => {
	expect(findMachinePaths(tree)).toEqual([]);
});

test("every manifest has the one version, the licence and the Node that we support", () => {
	expect(findUnlikeManifests(tree)).toEqual([]);
});

test("every dependency has one exact version everywhere", () => {
	expect(findLooseVersions(tree)).toEqual([]);
});

test("the lockfile names no registry", () => {
	expect(findRegistryAddresses(tree)).toEqual([]);
});

test("the lockfile holds what every system needs", () => {
	expect(findLockfileGaps(tree)).toEqual([]);
});
