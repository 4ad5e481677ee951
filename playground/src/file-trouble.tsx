import type { Playground } from "./playground.js";

/** What went wrong with a file, and what can be done about it. */
export function FileTroubleLine({ playground: { bench, files } }: { playground: Playground }) {
	const trouble = files.trouble.value;
	if (trouble === undefined) return null;
	const dismiss = { label: "Dismiss", go: () => (files.trouble.value = undefined) };
	return (
		<span class="trouble">
			{trouble.text}{" "}
			{[...trouble.ways, dismiss].map(({ label, go }) => (
				<button
					key={label}
					type="button"
					onClick={() => {
						go();
						bench.view.focus();
					}}
				>
					{label}
				</button>
			))}
		</span>
	);
}
