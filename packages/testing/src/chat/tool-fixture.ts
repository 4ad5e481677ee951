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

/** Files by path: text or bytes, or "→ TARGET" for a symbolic link. A path that ends with "/" is a folder. */
export type FolderPicture = Readonly<Record<string, string | Uint8Array>>;

/** A temporary folder on disk for testing tools, with contents specified by the test. */
export class ToolFixture {
	/** The client that the tools call. Tests may replace it. */
	client: ToolContext["client"] = { buffers: undefined, editor: {} };
	readonly calling = new AbortController();

	private constructor(
		/** The real path of the workspace folder. */
		readonly root: string,
		public workspace: ThreadWorkspace,
	) {}

	/** Creates the folder. Each line of `.ignored` names an ignored file, or a folder if it ends with a slash. */
	static async draw(picture: FolderPicture): Promise<ToolFixture> {
		const top = await realpath(await mkdtemp(path.join(tmpdir(), "segue-tools-")));
		onTestFinished(() => rm(top, { recursive: true, force: true }));
		// The workspace is a subfolder, so that tests can try to escape from it.
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

	/** Runs a tool call with all permissions granted. Returns the output, or the error sent to the model. */
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
