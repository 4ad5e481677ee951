import picocolors from "picocolors";

/** Functions that colour text, or return it unchanged. */
export type Paint = ReturnType<typeof picocolors.createColors>;

export function paintFor(isColoured: boolean): Paint {
	return picocolors.createColors(isColoured);
}

/**
 * Whether to use colours on a stream. A nonempty NO_COLOR turns them off (https://no-color.org) and takes precedence over
 * FORCE_COLOR, which turns them on even outside a terminal.
 */
export function isColoured(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
	if (env["NO_COLOR"]) return false;
	const forced = env["FORCE_COLOR"];
	if (forced) return forced !== "0" && forced !== "false";
	return stream.isTTY === true && env["TERM"] !== "dumb";
}
