import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A user's home for Segue and a project beside it, in a temporary folder, with the files that a test gives them. */
export class Home {
	readonly #folder = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-home-")));
	/** What SEGUE_HOME names. */
	readonly home = path.join(this.#folder, "home");
	readonly project = path.join(this.#folder, "project");

	/** Files by their path from the folder that has `home/` and `project/` in it. Those that are not text are written as JSON. */
	constructor(files: Readonly<Record<string, unknown>> = {}) {
		mkdirSync(this.home);
		mkdirSync(this.project);
		for (const [file, content] of Object.entries(files)) this.write(file, content);
	}

	/** Gives the file's path. Keys get the mode that they need. */
	write(file: string, content: unknown): string {
		const place = path.join(this.#folder, file);
		mkdirSync(path.dirname(place), { recursive: true });
		const isAsItIs = typeof content === "string" || content instanceof Uint8Array;
		writeFileSync(place, isAsItIs ? content : JSON.stringify(content));
		if (path.basename(file) === "credentials.json") chmodSync(place, 0o600);
		return place;
	}

	/** A text without the part of its paths that is another in every run. */
	short(text: string): string {
		return text.replaceAll(`${this.#folder}${path.sep}`, "");
	}

	[Symbol.dispose](): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
