import { quoted } from "@segue/agent/config/masking";
import { Refusal } from "@segue/agent/config/refusal";
import { PERMISSION_KINDS } from "@segue/agent/config/shape";
import type { ApprovalRule, Permission } from "@segue/assist";

/** Reads what `--allow` was given: KIND:PATTERN. */
export function readRule(said: string): ApprovalRule {
	const colon = said.indexOf(":");
	const kind = PERMISSION_KINDS.find((known) => known === said.slice(0, colon));
	const pattern = said.slice(colon + 1);
	if (kind === undefined || pattern === "") {
		const kinds = PERMISSION_KINDS.join(", ");
		throw new Refusal(`--allow takes KIND:PATTERN, as --allow 'edit:src/**', and the kinds are ${kinds}.`);
	}
	return { kind, pattern, answer: "allow" };
}

/** How to allow beforehand what nobody can be asked for here. */
export function howToAllow({ kind, subject }: Permission): string {
	return `Not allowed, because nobody can be asked here. To allow it: --allow ${quoted(`${kind}:${subject}`)}`;
}
