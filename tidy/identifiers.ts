import path from "node:path";
import { declarationsOf, importsOf } from "./imports.js";
import { isCode, isTest, ownerOf, packagesOf, splitSpecifier } from "./packages.js";
import { isPerLanguage } from "./structure.js";
import type { Tree } from "./tree.js";

/** The package whose names are those of specifications. */
const WIRE_PACKAGE = "protocol";

/** Finds names that two packages declare and export, so that a reader of one would take it for the other. */
export function findDuplicateExports(tree: Tree): string[] {
	const first = new Map<string, { readonly title: string; readonly file: string }>();
	const findings: string[] = [];
	for (const { file, title, name, line } of exportsIn(tree)) {
		if (isPerLanguage(file)) continue;
		const other = first.get(name);
		if (other === undefined) first.set(name, { title, file });
		else if (other.title !== title) {
			const advice = "rename one to something more specific, or share one declaration";
			findings.push(`${file}:${line} exports ${name}, which ${other.file} declares as well: ${advice}`);
		}
	}
	return findings;
}

/** Finds imports of single names of a wire. They are imported qualified, as in `acp.Position`, because other packages have the same names. */
export function findUnqualifiedWireNames(tree: Tree): string[] {
	const packages = packagesOf(tree);
	const wire = packages.find(({ title }) => title === WIRE_PACKAGE)?.manifest.name;
	return Object.entries(tree).flatMap(([file, text]) => {
		if (!isCode(file)) return [];
		return importsOf(text).flatMap(({ specifier, line, isNamespace }) => {
			const { name, subpath } = splitSpecifier(specifier);
			if (name !== wire || isNamespace) return [];
			const advice = `import * as ${path.posix.basename(subpath)}, and qualify each name`;
			return [`${file}:${line} imports single names of ${specifier}: ${advice}`];
		});
	});
}

/** Names that were replaced by the field's own words. Names of a wire are the specification's. */
const OLD_FILE_NAMES =
	/^(?:account|asking|begun|beside|board|brief|concordance|desk|door|edition|errand|flights?|form|fronting|harmless|hearing|here|june|keeper|kept|lease|leaving|lent|meaning|narrator|occasion|patience|place|plain|resting|ring|say|shareable|silence|storyteller|surroundings|taking|telling|told|understanding|visit|witness|workplace|works)$/;
const OLD_EXPORTS =
	/^(?:Answer|Answered|Asked|Begun|Carried|Desk|Door|Form|Hearing|Keeper|Kept|Lease|Narrator|Place|Question|Ring|Said|Shown|Surroundings|Telling|Told|Typed|Understanding|Verdict|Wanted|Witness|Work|deedOf|handOver|lend|obey|plain|takeBack|tell|withinPatience)$/;

/** Finds old names of files and exports that have a better name in this field. */
export function findOldNames(tree: Tree): string[] {
	const advice = "use the established noun";
	const files = Object.keys(tree).flatMap((file) => {
		const name = path.posix.basename(file).replace(/\..*$/, "");
		if (!isCode(file) || !OLD_FILE_NAMES.test(name) || isOfWire(file)) return [];
		return [`${file}:1 is named ${name}, a name that was given up: ${advice}`];
	});
	const names = exportsIn(tree).flatMap(({ file, name, line }) => {
		return OLD_EXPORTS.test(name) ? [`${file}:${line} exports ${name}, a name that was given up: ${advice}`] : [];
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

/** The exported declarations of all packages but the one of the wires. */
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
