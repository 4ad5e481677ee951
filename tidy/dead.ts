import { spawnSync } from "node:child_process";
import path from "node:path";
import type { JSONReport, JSONReportEntry, JSONReportItem } from "knip";
import { root } from "./tree.js";

type Kind = Exclude<keyof JSONReportEntry, "file" | "owners" | "catalog" | "catalogReferences" | "cycles">;

/** The advice for each kind of problem that knip reports. */
const ADVICE: ReadonlyMap<Kind, string> = new Map([
	["files", "is not reachable from an entry point: delete or import it"],
	["exports", "is exported but never imported: remove the export or the declaration"],
	["types", "is exported but never imported: remove the export or the declaration"],
	["nsExports", "is exported but never used: remove the export or the declaration"],
	["nsTypes", "is exported but never used: remove the export or the declaration"],
	["enumMembers", "is never used: remove it"],
	["namespaceMembers", "is never used: remove it"],
	["duplicates", "is exported under two names: keep one"],
	["dependencies", "is declared but not used: remove it from the manifest"],
	["devDependencies", "is declared but not used: remove it from the manifest"],
	["optionalPeerDependencies", "is used, but declared as optional: declare it as a dependency"],
	["unlisted", "is used but not declared: add it to the manifest"],
	["unresolved", "is imported but does not exist: correct the path"],
	["binaries", "is run but not declared: add the package that contains it to the manifest"],
]);

/** Finds unused files, exports and dependencies. Knip reads a folder on disk, including its knip.json. */
export function findDeadCode(folder: string): string[] {
	const knip = path.join(root, "node_modules", "knip", "bin", "knip.js");
	const args = [knip, "--no-progress", "--reporter", "json", "--treat-config-hints-as-errors", "--directory", folder];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
	if (status !== 0 && status !== 1) throw new Error(`knip failed: ${stderr}${stdout}`);
	const report: JSONReport = JSON.parse(stdout);
	const findings = report.issues.flatMap(findingsOf);
	// Knip does not report its hints as JSON.
	if (status === 1 && findings.length === 0) return ["knip.json:1 can be improved: run npx knip and follow its hints"];
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
