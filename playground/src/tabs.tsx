import type { Playground } from "./playground.js";

/** The open files, and of an opened folder all others. */
export function FileTabs({ playground }: { playground: Playground }) {
	const { tabs, active, project } = playground.bench;
	const folder = project.value?.folder;
	const open = new Set(tabs.value.map(({ path }) => path));
	const closed = folder?.paths.filter((path) => !open.has(path)) ?? [];
	return (
		<nav class="tabs" aria-label="Files">
			{tabs.value.map((tab) => {
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
							{path.slice(path.lastIndexOf("/") + 1)}
							{isDirty && folder !== undefined && <span title="not saved"> ●</span>}
						</button>
						{folder !== undefined && (
							<button type="button" aria-label={`Close ${path}`} onClick={() => playground.closeFile(tab)}>
								×
							</button>
						)}
					</span>
				);
			})}
			{closed.length > 0 && (
				<select
					aria-label="Open a file"
					value=""
					onChange={({ currentTarget }) => void playground.openFile(currentTarget.value)}
				>
					<option value="">Open a file…</option>
					{closed.map((path) => (
						<option key={path} value={path}>
							{path}
						</option>
					))}
				</select>
			)}
		</nav>
	);
}
