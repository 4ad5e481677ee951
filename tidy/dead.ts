import { spawnSync } from "node:child_process";
import path from "node:path";
import type { JSONReport, JSONReportEntry, JSONReportItem } from "knip";
import { root } from "./tree.js";

type Kind = Exclude<keyof JSONReportEntry, "file" | "owners" | "catalog" | "catalogReferences" | "cycles">;

/** What to do about each kind of thing that knip finds. */
const ADVICE: ReadonlyMap<Kind, string> = new Map([
	["files", "is reached from no entry: delete it, or import it"],
	["exports", "is exported and imported by nobody: drop the export, or all of it"],
	["types", "is exported and imported by nobody: drop the export, or all of it"],
	["nsExports", "is exported and used by nobody: drop the export, or all of it"],
	["nsTypes", "is exported and used by nobody: drop the export, or all of it"],
	["enumMembers", "is used by nobody: drop it"],
	["namespaceMembers", "is used by nobody: drop it"],
	["duplicates", "is exported under two names: keep one"],
	["dependencies", "is declared and not used: drop it from the manifest"],
	["devDependencies", "is declared and not used: drop it from the manifest"],
	["optionalPeerDependencies", "is used, but declared as optional: declare it as a dependency"],
	["unlisted", "is used and not declared: add it to the manifest"],
	["unresolved", "is imported and not there: correct the path"],
	["binaries", "is run and not declared: add what brings it to the manifest"],
]);

/**
 * Finds files that nothing imports, exports that nothing uses and dependencies that are not needed. Knip looks at a
 * folder on disk, with the knip.json that is there.
 */
export function findDeadCode(folder: string): string[] {
	const knip = path.join(root, "node_modules", "knip", "bin", "knip.js");
	const args = [knip, "--no-progress", "--reporter", "json", "--treat-config-hints-as-errors", "--directory", folder];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
	if (status !== 0 && status !== 1) throw new Error(`knip failed: ${stderr}${stdout}`);
	const report: JSONReport = JSON.parse(stdout);
	const findings = report.issues.flatMap(findingsOf);
	// Knip has no report of its hints in JSON.
	if (status === 1 && findings.length === 0) return ["knip.json:1 can be better: run npx knip and follow its hints"];
	return findings;
}

function findingsOf(entry: JSONReportEntry): string[] {
	return Array.from(ADVICE).flatMap(([kind, advice]) => {
		const items: readonly JSONReportItem[] = (entry[kind] ?? []).flat();
		return items.map(({ name, line = 1 }) => {
			const subject = name === entry.file ? "" : ` ${name}`;
			return `${entry.file}:${line}${subject} ${advice}`;
		});
	});
}
