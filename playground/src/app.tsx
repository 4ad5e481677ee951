import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ExpiredLink } from "./expired-link.js";
import { ProjectOpener } from "./files/project-opener.js";
import { Guide } from "./guide/guide.js";
import { GuideCard, Hint } from "./guide/guide-card.js";
import { lazyComponent } from "./lazy-load.js";
import { Panels } from "./panels.js";
import { Playground } from "./playground.js";
import type { Project } from "./projects/project.js";
import { SAMPLES, type Sample } from "./projects/samples.js";
import type { ServerAccess } from "./server-access.js";
import { ThemeSwitch } from "./settings/theme-switch.js";
import { PreviewDialog } from "./suggestions/preview-dialog.js";
import { FileNotice, StatusBar } from "./suggestions/status-bar.js";
import { Icon, Logo } from "./widgets/icon.js";
import { isMod, MOD } from "./widgets/modifier-key.js";
import { Picker } from "./widgets/picker.js";
import { arePanelsHidden, paneStyle, Splitter, togglePanels } from "./widgets/splitter.js";
import { FileTabs } from "./workbench/file-tabs.js";

const Explorer = lazyComponent(async () => (await import("./files/explorer.js")).Explorer);
const FolderDialog = lazyComponent(async () => (await import("./files/folder-dialog.js")).FolderDialog);
const EditorDialog = lazyComponent(async () => (await import("./guide/editor-choice.js")).EditorDialog);
const KeyboardHelp = lazyComponent(async () => (await import("./guide/keyboard-help.js")).KeyboardHelp);

/** The whole page: the header, the editor with its files, the panels, and the status bar. */
export function App({ server }: { server: ServerAccess }) {
	const place = useRef<HTMLDivElement>(null);
	const playground = useSignal<Playground | undefined>(undefined);
	const guide = useSignal<Guide | undefined>(undefined);
	const asksForFolder = useSignal(false);
	const showsKeys = useSignal(false);
	const showsSetup = useSignal(false);
	const opener = useRef<ProjectOpener | undefined>(undefined);
	useEffect(() => {
		if (place.current === null) return;
		const made = new Playground(place.current, server);
		playground.value = made;
		const projects = new ProjectOpener(made);
		opener.current = projects;
		void projects.start();
		guide.value = new Guide(made, (project) => projects.choose(project));
		addEventListener("keydown", (event) => {
			if (event.key === "F1") showsKeys.value = true;
			else if (isPanelsKey(event)) {
				togglePanels();
				made.bench.view.focus();
			} else return;
			event.preventDefault();
		});
		addEventListener("beforeunload", (event) => {
			if (made.bench.isUnsaved || projects.isUnsaved) event.preventDefault();
		});
	}, []);
	const made = playground.value;
	// A closing dialog returns the focus to the button, so a folder that was reopened with its files gets the focus later.
	const isReopened = useRef(false);
	useEffect(() => {
		if (!asksForFolder.value && isReopened.current) made?.bench.view.focus();
		isReopened.current = false;
	}, [asksForFolder.value]);
	const project = made?.bench.project.value;
	// A folder's hint explains how to open a file, so it is hidden once a file is open.
	const isHinting = project?.folder === undefined || made?.bench.tabs.value.length === 0;
	const projects = projectsOf(made?.bench.folders.value ?? [], project);
	return (
		<>
			<header>
				<h1>
					<Logo />
					<span class="label">Segue</span>
				</h1>
				<Picker
					label={`Project: ${project?.title ?? ""}`}
					text={project?.title ?? ""}
					choices={projects.map((it) => ({ id: keyOf(it), title: it.title }))}
					picked={project && keyOf(project)}
					pick={(id) => {
						const chosen = projects.find((it) => keyOf(it) === id);
						if (chosen !== undefined) void opener.current?.choose(chosen);
					}}
				/>
				<button type="button" onClick={() => (asksForFolder.value = true)}>
					<Icon name="folder" />
					<span class="label">Open folder…</span>
				</button>
				<div class="tools">
					<button type="button" class="quiet" onClick={() => (showsSetup.value = true)}>
						<Icon name="editor" />
						<span class="label">Use in your editor</span>
					</button>
					<button type="button" class="quiet" onClick={() => void guide.value?.resume()}>
						<Icon name="guide" />
						<span class="label">Guide</span>
					</button>
					<button
						type="button"
						class="quiet keys"
						aria-label="Keyboard shortcuts"
						title="Keyboard shortcuts (F1)"
						onClick={() => (showsKeys.value = true)}
					>
						<Icon name="keyboard" />
					</button>
					<button
						type="button"
						class="quiet"
						aria-label="Panels"
						aria-expanded={!arePanelsHidden.value}
						title={`${arePanelsHidden.value ? "Show" : "Hide"} panels (${MOD} B)`}
						onClick={togglePanels}
					>
						<Icon name="panels" />
					</button>
					<ThemeSwitch />
				</div>
			</header>
			{made?.link.status.value === "refused" && <ExpiredLink server={server} />}
			<main style={paneStyle()}>
				{made && project?.folder && (
					<>
						<Explorer playground={made} />
						<Splitter pane="explorer" controls="explorer" />
					</>
				)}
				<section class="bench" aria-label="Editor">
					{made && <FileTabs playground={made} />}
					{made && <FileNotice playground={made} />}
					{guide.value?.lesson ? (
						<GuideCard guide={guide.value} />
					) : (
						made && project && isHinting && <Hint playground={made} project={project} />
					)}
					<div class="editor" ref={place} />
					{made?.pressedKey.value && (
						<p class="pressed-key" aria-hidden="true">
							The story presses <kbd>{made.pressedKey.value}</kbd>
						</p>
					)}
				</section>
				{!arePanelsHidden.value && (
					<>
						<Splitter pane="panels" controls="panels" />
						<Panels playground={made} />
					</>
				)}
			</main>
			{made && <StatusBar playground={made} guide={guide.value} />}
			{made && <PreviewDialog playground={made} />}
			{showsKeys.value && <KeyboardHelp close={() => (showsKeys.value = false)} />}
			{made && showsSetup.value && (
				<EditorDialog installation={made.installation.value} close={() => (showsSetup.value = false)} />
			)}
			{asksForFolder.value && (
				<FolderDialog
					open={async (path, signal) => {
						await opener.current?.openFolder(path, signal);
						isReopened.current = made?.bench.active.value !== undefined;
					}}
					close={() => (asksForFolder.value = false)}
				/>
			)}
		</>
	);
}

/** Whether an event is the key that hides and shows the panels. */
function isPanelsKey(event: KeyboardEvent): boolean {
	return event.key.toLowerCase() === "b" && isMod(event) && !event.altKey && !event.shiftKey;
}

/**
 * Returns the projects to list. Folders stay in the list once they have been opened. A story or a lesson is listed only
 * while it is open.
 */
function projectsOf(folders: readonly Project[], present: Project | undefined): readonly (Project | Sample)[] {
	const lasting = [...SAMPLES, ...folders];
	const isListed = present === undefined || lasting.some((project) => keyOf(project) === keyOf(present));
	return isListed ? lasting : [...lasting, present];
}

/**
 * Returns a project's identity. Samples are identified by name, because their root differs between servers. Folders are
 * identified by root, because they can have the same name.
 */
function keyOf(project: Project | Sample): string {
	return "folder" in project ? project.root : project.name;
}
