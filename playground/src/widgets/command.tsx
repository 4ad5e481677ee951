import { useSignal } from "@preact/signals";
import type { Playground } from "../playground.js";
import { Icon } from "./icon.js";

// Long enough for users to notice.
const COPIED_MS = 2000;

/** A `segue` command that works in the user's terminal, with a button that copies it. */
export function SegueCommand({ playground, args, model }: { playground: Playground; args: string; model?: string }) {
	const variable = model === undefined ? "" : assignmentOf("SEGUE_MODEL", model);
	return <CommandLine line={`${variable}${playground.installation.value.command} ${args}`} />;
}

/** Returns the start of a command line that sets an environment variable. On Windows, for PowerShell. */
function assignmentOf(variable: string, value: string): string {
	const isWindows = navigator.platform.startsWith("Win");
	return isWindows ? `$env:${variable}="${value}"; ` : `export ${variable}=${value} && `;
}

/** A command line with a button that copies it. */
export function CommandLine({ line }: { line: string }) {
	return (
		<span class="command">
			<code title={line}>{line}</code>
			<CopyButton label="Copy command" text={line} />
		</span>
	);
}

/** A button that copies `text`. Whether it worked is shown before the button. */
export function CopyButton({ label, text }: { label: string; text: string }) {
	const copied = useSignal("");
	const copy = async () => {
		copied.value = await copyText(text);
		setTimeout(() => (copied.value = ""), COPIED_MS);
	};
	return (
		<>
			<span role="status">{copied.value}</span>
			<button type="button" class="quiet" aria-label={label} title="Copy" onClick={() => void copy()}>
				<Icon name={copied.value === "Copied" ? "check" : "copy"} />
			</button>
		</>
	);
}

/** Copies the text and returns a message for the user. */
export async function copyText(text: string): Promise<"Copied" | "Copying failed"> {
	try {
		// Browsers have no clipboard on pages from http addresses other than localhost, so this can throw.
		await navigator.clipboard.writeText(text);
		return "Copied";
	} catch {
		return "Copying failed";
	}
}
