import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

/**
 * Loads a part of the page that is not needed at startup. A browser may never retry a module that failed to load, so
 * this first checks that the server responds. Rejects with an error message for the user.
 */
export async function loadLazily<Part>(load: () => Promise<Part>): Promise<Part> {
	try {
		await fetch("/healthz");
	} catch {
		throw new Error("The server is not responding. Try again when it is available.");
	}
	try {
		return await load();
	} catch {
		throw new Error("The server did not send this part of the page. Save your files and reload the page.");
	}
}

/** Returns a component that is loaded when it is first shown. Without a server, it shows an error. */
export function lazyComponent<Props extends object>(
	load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
	let loaded: FunctionComponent<Props> | undefined;
	return (props) => {
		const part = useSignal(loaded);
		const trouble = useSignal("");
		useEffect(() => {
			if (part.value !== undefined) return;
			loadLazily(load).then(
				(now) => {
					loaded = now;
					part.value = now;
				},
				(error: Error) => (trouble.value = error.message),
			);
		}, []);
		const Part = part.value;
		if (Part !== undefined) return <Part {...props} />;
		return trouble.value === "" ? null : <p class="trouble">{trouble.value}</p>;
	};
}
