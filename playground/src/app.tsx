import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { DiskFolder, keepSample } from "./files/disk-folder.js";
import { FolderDialog } from "./files/folder-dialog.js";
import { Panels } from "./panels.js";
import { Playground } from "./playground.js";
import { go } from "./projects/go.js";
import type { Project } from "./projects/project.js";
import { python } from "./projects/python.js";
import { rust } from "./projects/rust.js";
import { typescript } from "./projects/typescript.js";
import { ThemeSwitch } from "./settings/theme-switch.js";
import { PreviewDialog } from "./suggestions/preview-dialog.js";
import { Chip, InlineMarkdown, SuggestionBar } from "./suggestions/suggestion-bar.js";
import { Picker } from "./widgets/picker.js";
import { FileTabs } from "./workbench/file-tabs.js";

const PROJECTS: readonly Project[] = [typescript, python, rust, go];

/** The whole page: the editor, and beside it one panel of several. */
export function App({ token }: { token: string }) {
	const place = useRef<HTMLDivElement>(null);
	const playground = useSignal<Playground | undefined>(undefined);
	const asksForFolder = useSignal(false);
	/** How often a project was chosen. Of several that are waited for, only the last is wanted. */
	const choices = useRef(0);
	useEffect(() => {
		if (place.current === null) return;
		const made = new Playground(place.current, token);
		playground.value = made;
		void begin(made, typescript);
		addEventListener("beforeunload", (event) => {
			if (made.bench.isUnsaved) event.preventDefault();
		});
	}, []);
	const begin = async (made: Playground, project: Project) => {
		const choice = ++choices.current;
		// A chat's tools need real files; suggestions need none, so without them all goes on.
		const root = project.folder ? project.root : await keepSample(project, token).catch(() => project.root);
		if (choice !== choices.current) return;
		await made.limitTo(undefined);
		if (choice !== choices.current) return;
		made.bench.begin({ ...project, root });
		made.bench.view.focus();
	};
	const open = async (path: string, signal: AbortSignal) => {
		const folder = await DiskFolder.open(path, token, signal);
		await playground.value?.limitTo(undefined);
		signal.throwIfAborted();
		choices.current++;
		playground.value?.openFolder(folder);
		asksForFolder.value = false;
	};
	const made = playground.value;
	const project = made?.bench.project.value;
	// What a folder says is how to begin; a sample's hint is for who has begun.
	const isHinting = project?.folder === undefined || made?.bench.tabs.value.length === 0;
	const projects = projectsOf(made?.bench.folders.value ?? [], project);
	return (
		<>
			<header>
				<h1>Segue</h1>
				<Picker
					label={`Project: ${project?.title ?? ""}`}
					text={project?.title ?? ""}
					choices={projects.map((it) => ({ id: keyOf(it), title: it.title }))}
					picked={project && keyOf(project)}
					pick={(id) => {
						const chosen = projects.find((it) => keyOf(it) === id);
						if (chosen !== undefined && made !== undefined) void begin(made, chosen);
					}}
				/>
				<button type="button" onClick={() => (asksForFolder.value = true)}>
					Open folder…
				</button>
				{made && <Status playground={made} />}
				<ThemeSwitch />
			</header>
			{made?.link.status.value === "refused" && <Refused />}
			<main>
				<section class="bench" aria-label="Editor">
					{made && <FileTabs playground={made} />}
					{isHinting && project?.hint && (
						<p class="hint">
							<InlineMarkdown text={project.hint} />
						</p>
					)}
					<div class="stage">
						<div class="editor" ref={place} />
						{made && <Chip playground={made} />}
					</div>
					{made && <SuggestionBar playground={made} />}
				</section>
				<Panels playground={made} />
			</main>
			{made && <PreviewDialog playground={made} />}
			{asksForFolder.value && <FolderDialog open={open} close={() => (asksForFolder.value = false)} />}
		</>
	);
}

function Status({ playground }: { playground: Playground }) {
	const status = playground.link.status.value;
	return (
		<div class={`status ${status}`}>
			<span role="status">{status === "open" ? "connected" : status}</span>{" "}
			{status === "lost" && (
				<button type="button" onClick={() => void playground.reconnect()}>
					Try now
				</button>
			)}
		</div>
	);
}

/** For who comes without the token, or with that of a server that has ended since. */
function Refused() {
	return (
		<section class="refused" role="alert">
			<h2>The server does not let this page in</h2>
			<p>
				Its address has to end with the token of the server that runs now: <code>#token=…</code>. Look where Segue was
				started, and open the whole address that it has printed.
			</p>
		</section>
	);
}

/** A folder of the person's own is listed from then on, as it was left; a story while it is open. */
function projectsOf(folders: readonly Project[], present: Project | undefined): readonly Project[] {
	const lasting = [...PROJECTS, ...folders];
	const isListed = present === undefined || lasting.some((project) => keyOf(project) === keyOf(present));
	return isListed ? lasting : [...lasting, present];
}

/** Where a sample is kept, is another place with every server; and folders may have the same name. */
function keyOf({ name, root, folder }: Project): string {
	return folder === undefined ? name : root;
}
