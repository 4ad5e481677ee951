import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Chip } from "./chip.js";
import { Folder, keepSample } from "./folder.js";
import { FolderDialog } from "./folder-dialog.js";
import { OfferLine } from "./offer-line.js";
import { Panels } from "./panels.js";
import { Playground } from "./playground.js";
import { PreviewDialog } from "./preview-dialog.js";
import { go } from "./projects/go.js";
import type { Project } from "./projects/project.js";
import { python } from "./projects/python.js";
import { rust } from "./projects/rust.js";
import { typescript } from "./projects/typescript.js";
import { Prose } from "./prose.js";
import { FileTabs } from "./tabs.js";
import { ThemeSwitch } from "./theme.js";

const PROJECTS: readonly Project[] = [typescript, python, rust, go];

/** The whole page: the editor, and beside it one panel of several. */
export function App({ token }: { token: string }) {
	const place = useRef<HTMLDivElement>(null);
	const playground = useSignal<Playground | undefined>(undefined);
	const asksForFolder = useSignal(false);
	useEffect(() => {
		if (place.current === null) return;
		const made = new Playground(place.current, token);
		playground.value = made;
		void begin(made, typescript);
		addEventListener("beforeunload", (event) => {
			if (made.isUnsaved) event.preventDefault();
		});
	}, []);
	const begin = async (made: Playground, project: Project) => {
		// A chat's tools need real files; suggestions need none, so without them all goes on.
		const root = await keepSample(project, token).catch(() => project.root);
		await made.limitTo(undefined);
		made.bench.begin({ ...project, root });
		made.bench.view.focus();
	};
	const open = async (path: string) => {
		const folder = await Folder.open(path, token);
		await playground.value?.openFolder(folder);
		asksForFolder.value = false;
	};
	const made = playground.value;
	return (
		<>
			<header>
				<h1>Segue</h1>
				<select
					aria-label="Project"
					value={made?.bench.project.value?.name}
					onChange={({ currentTarget }) => {
						const chosen = PROJECTS.find(({ name }) => name === currentTarget.value);
						if (chosen !== undefined && made !== undefined) void begin(made, chosen);
					}}
				>
					{withPresent(made?.bench.project.value).map((project) => (
						<option key={project.name} value={project.name}>
							{project.title}
						</option>
					))}
				</select>
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
					{made?.bench.project.value?.hint && (
						<p class="hint">
							<Prose text={made.bench.project.value.hint} />
						</p>
					)}
					<div class="stage">
						<div class="editor" ref={place} />
						{made && <Chip playground={made} />}
					</div>
					{made && <OfferLine playground={made} />}
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

/** A story and a folder of the person's own are listed while they are open. */
function withPresent(present: Project | undefined): readonly Project[] {
	const isSample = PROJECTS.some(({ name }) => name === present?.name);
	return present === undefined || isSample ? PROJECTS : [...PROJECTS, present];
}
