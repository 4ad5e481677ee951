import path from "node:path";
import { declarationsOf, importsOf } from "./imports.js";
import { isCode, isTest, ownerOf, packagesOf, splitSpecifier } from "./packages.js";
import { isPerLanguage } from "./structure.js";
import type { Tree } from "./tree.js";

/** The package whose names come from specifications. */
const WIRE_PACKAGE = "protocol";

/** Finds names that two packages both declare and export, which would confuse readers. */
export function findDuplicateExports(tree: Tree): string[] {
	const first = new Map<string, { readonly title: string; readonly file: string }>();
	const findings: string[] = [];
	for (const { file, title, name, line } of exportsIn(tree)) {
		if (isPerLanguage(file)) continue;
		const other = first.get(name);
		if (other === undefined) first.set(name, { title, file });
		else if (other.title !== title) {
			const advice = "rename one to something more specific, or share one declaration";
			findings.push(`${file}:${line} exports ${name}, which ${other.file} also declares: ${advice}`);
		}
	}
	return findings;
}

/**
 * Finds imports of single wire names. Wire names are imported with a qualifier (`acp.Position`), because other packages
 * use the same names.
 */
export function findUnqualifiedWireNames(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const wire = packages.find(({ title }) => title === WIRE_PACKAGE)?.manifest.name;
	return Object.entries(tree).flatMap(([file, text]) => {
		if (!isCode(file)) return [];
		return importsOf(text).flatMap(({ specifier, line, isNamespace }) => {
			const { name, subpath } = splitSpecifier(specifier);
			if (name !== wire || isNamespace) return [];
			const advice = `import * as ${path.posix.basename(subpath)}, and qualify each name`;
			return [`${file}:${line} imports single names from ${specifier}: ${advice}`];
		});
	});
}

/** Names that were replaced with established ones. Wire names are exempt. */
const OLD_FILE_NAMES =
	/^(?:account|asking|begun|beside|board|brief|concordance|desk|door|edition|errand|flights?|form|fronting|harmless|hearing|here|june|keeper|kept|lease|leaving|lent|meaning|narrator|occasion|patience|place|plain|resting|ring|say|shareable|silence|storyteller|surroundings|taking|telling|told|understanding|visit|witness|workplace|works)$/;
const OLD_EXPORTS =
	/^(?:Answer|Answered|Asked|Begun|Carried|Desk|Door|Form|Hearing|Keeper|Kept|Lease|Narrator|Place|Question|Ring|Said|Shown|Surroundings|Telling|Told|Typed|Understanding|Verdict|Wanted|Witness|Work|deedOf|handOver|lend|obey|plain|takeBack|tell|withinPatience)$/;

/** Finds files and exports that still use a replaced name. */
export function findOldNames(tree: Tree): string[] {
	const advice = "use the established noun";
	const files = Object.keys(tree).flatMap((file) => {
		const name = path.posix.basename(file).replace(/\..*$/, "");
		if (!isCode(file) || !OLD_FILE_NAMES.test(name) || isOfWire(file)) return [];
		return [`${file}:1 has the replaced name ${name}: ${advice}`];
	});
	const names = exportsIn(tree).flatMap(({ file, name, line }) => {
		return OLD_EXPORTS.test(name) ? [`${file}:${line} exports the replaced name ${name}: ${advice}`] : [];
	});
	return [...files, ...names];
}

interface Export {
	readonly file: string;
	/** The package's title. */
	readonly title: string;
	readonly name: string;
	readonly line: number;
}

/** Returns the exported declarations in all packages except the wire package. */
function exportsIn(tree: Tree): Export[] {
	const packages = packagesOf(tree);
	return Object.entries(tree).flatMap(([file, text]) => {
		if (!/\/src\/.*\.tsx?$/.test(file) || isTest(file) || isOfWire(file)) return [];
		const title = ownerOf(packages, file)?.title ?? "";
		return declarationsOf(text).map(({ name, line }) => ({ file, title, name, line }));
	});
}

function isOfWire(file: string): boolean {
	return file.startsWith(`packages/${WIRE_PACKAGE}/`);
}
