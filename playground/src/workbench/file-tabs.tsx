import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { Icon } from "../widgets/icon.js";
import { Picker } from "../widgets/picker.js";

/** The tabs of the open files, and a list of the other files in an opened folder. */
export function FileTabs({ playground }: { playground: Playground }) {
	const { tabs, active, project } = playground.bench;
	const folder = project.value?.folder;
	const open = new Set(tabs.value.map(({ path }) => path));
	const closed = folder?.paths.value.filter((path) => !open.has(path)) ?? [];
	const names = tabNames(tabs.value.map(({ path }) => path));
	const row = useRef<HTMLDivElement>(null);
	useEffect(() => {
		row.current?.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [active.value]);
	return (
		<nav class="tabs" aria-label="Files">
			<div class="row-of-tabs" ref={row}>
				{tabs.value.map((tab, i) => {
					const { uri, path, isDirty } = tab;
					return (
						<span key={uri} class={uri === active.value ? "tab active" : "tab"}>
							<button
								type="button"
								aria-current={uri === active.value ? "page" : undefined}
								title={path}
								onClick={() => {
									playground.bench.show(uri);
									playground.bench.view.focus();
								}}
							>
								{names[i]}
								{isDirty && folder !== undefined && <span title="not saved"> ●</span>}
							</button>
							{folder !== undefined && (
								<button type="button" aria-label={`Close ${path}`} onClick={() => playground.files.close(tab)}>
									<Icon name="close" />
								</button>
							)}
						</span>
					);
				})}
			</div>
			{closed.length > 0 && (
				<Picker
					label="Open a file"
					text="Open a file…"
					choices={closed.map((path) => ({ id: path, title: path }))}
					pick={(path) => void playground.files.open(path)}
				/>
			)}
		</nav>
	);
}

/** Returns a name for each path: the file name, with as many folders as are needed to tell it apart from the others. */
export function tabNames(paths: readonly string[]): readonly string[] {
	return paths.map((path) => {
		const names = path.split("/");
		for (let count = 1; count < names.length; count++) {
			const name = names.slice(-count).join("/");
			const isShared = paths.some((other) => other !== path && (other === name || other.endsWith(`/${name}`)));
			if (!isShared) return name;
		}
		return path;
	});
}
