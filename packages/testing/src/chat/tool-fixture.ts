import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
	ThreadWorkspace,
	type Tool,
	type ToolAction,
	type ToolContext,
	ToolError,
	type WorkspacePrivacy,
} from "@segue/assist";
import { onTestFinished } from "vitest";

/** Files by their paths: a text or bytes, a link's target behind an arrow ("→ ../elsewhere"), or a folder, "/" at its end. */
export type FolderPicture = Readonly<Record<string, string | Uint8Array>>;

/** A real folder that is drawn, lives as long as the test, and is worked on with tools. */
export class ToolFixture {
	/** What the tools' client serves; a test may give it another one. */
	client: ToolContext["client"] = { buffers: undefined, editor: {} };
	readonly calling = new AbortController();

	private constructor(
		/** The folder, as it really lies. */
		readonly root: string,
		public workspace: ThreadWorkspace,
	) {}

	/** The names in `.ignored`, one for each line, are ignored: files, or folders with a slash at their end. */
	static async draw(picture: FolderPicture): Promise<ToolFixture> {
		const top = await realpath(await mkdtemp(path.join(tmpdir(), "segue-tools-")));
		onTestFinished(() => rm(top, { recursive: true, force: true }));
		// The workspace is not at the top, so that there is an outside to escape to.
		const root = path.join(top, "workspace");
		await mkdir(root);
		const fixture = new ToolFixture(
			root,
			new ThreadWorkspace([root], privacyOf(root, String(picture[".ignored"] ?? ""))),
		);
		await fixture.add(picture);
		return fixture;
	}

	get scope(): ToolContext {
		return { workspace: this.workspace, client: this.client, signal: this.calling.signal };
	}

	async add(picture: FolderPicture): Promise<void> {
		for (const [name, content] of Object.entries(picture)) {
			const file = path.join(this.root, name);
			await mkdir(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
			if (name.endsWith("/")) continue;
			if (typeof content === "string" && content.startsWith("→ ")) await symlink(content.slice(2), file);
			else await writeFile(file, content);
		}
	}

	text(name: string): Promise<string> {
		return readFile(path.join(this.root, name), "utf8");
	}

	prepare<Input>(tool: Tool<Input>, input: Input): Promise<ToolAction> {
		return tool.prepare(tool.input.parse(input), this.scope, "call");
	}

	/** What a call comes to when everything is allowed: what the model is told, of a refusal too. */
	async call<Input>(tool: Tool<Input>, input: Input): Promise<string> {
		try {
			const action = await this.prepare(tool, input);
			return (await action.run(this.calling.signal, () => {})).output;
		} catch (error) {
			if (error instanceof ToolError) return `refused: ${error.message}`;
			throw error;
		}
	}
}

function privacyOf(root: string, ignored: string): WorkspacePrivacy {
	const names = ignored.split("\n").filter((name) => name !== "");
	return {
		isPrivate: (uri) => {
			const way = path.relative(root, fileURLToPath(uri)) + (uri.endsWith("/") ? "/" : "");
			return names.some((name) => way === name || (name.endsWith("/") && way.startsWith(name)));
		},
	};
}
