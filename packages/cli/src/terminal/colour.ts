import picocolors from "picocolors";

/** Paints texts, or leaves them as they are. */
export type Paint = ReturnType<typeof picocolors.createColors>;

export function paintFor(isColoured: boolean): Paint {
	return picocolors.createColors(isColoured);
}

/**
 * Whether a stream is to be painted on. NO_COLOR is obeyed whatever it is set to, as long as it is set to something
 * (https://no-color.org), and before FORCE_COLOR, which paints even where no person looks.
 */
export function isColoured(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
	if (env["NO_COLOR"]) return false;
	const forced = env["FORCE_COLOR"];
	if (forced) return forced !== "0" && forced !== "false";
	return stream.isTTY === true && env["TERM"] !== "dumb";
}
