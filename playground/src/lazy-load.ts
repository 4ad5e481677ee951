/**
 * Loads a part of the page that was not needed at first. A browser that did not get a part once may never ask for it again,
 * so the server is asked first whether it is there. Rejects with a sentence for the user.
 */
export async function loadLazily<Part>(load: () => Promise<Part>): Promise<Part> {
	try {
		await fetch("/healthz");
	} catch {
		throw new Error("The server does not answer. Try again when it is back.");
	}
	try {
		return await load();
	} catch {
		throw new Error("The server did not send this part of the page. Save your files, and reload the page.");
	}
}
