import { useSignal } from "@preact/signals";

// About the length of a few lines in a panel. A button shows the rest.
const STRING_SHOWN_MAX = 400;
const ITEMS_SHOWN_MAX = 100;

/** A JSON value as a tree that can be expanded. */
export function JsonTree({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }) {
	const label = name !== undefined && <span class="json-name">{name}: </span>;
	if (typeof value === "string") return <Leaf label={label} text={value} />;
	if (typeof value !== "object" || value === null) {
		return (
			<div class="json-leaf">
				{label}
				<span class="json-atom">{String(value)}</span>
			</div>
		);
	}
	const entries = Array.isArray(value) ? value.map((each, i) => [String(i), each] as const) : Object.entries(value);
	return <Branch label={label} entries={entries} isList={Array.isArray(value)} open={open} />;
}

function Branch({
	label,
	entries,
	isList,
	open,
}: {
	label: preact.ComponentChildren;
	entries: readonly (readonly [string, unknown])[];
	isList: boolean;
	open: boolean;
}) {
	const isOpen = useSignal(open);
	const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
	return (
		<details
			class="json-branch"
			open={isOpen.value}
			onToggle={({ currentTarget }) => {
				isOpen.value = currentTarget.open;
			}}
		>
			<summary>
				{label}
				<span class="json-count">{count}</span>
			</summary>
			{isOpen.value &&
				entries
					.slice(0, ITEMS_SHOWN_MAX)
					.map(([name, value]) => <JsonTree key={name} name={name} value={value} open={entries.length < 8} />)}
			{isOpen.value && entries.length > ITEMS_SHOWN_MAX && (
				<div class="remark">and {entries.length - ITEMS_SHOWN_MAX} more</div>
			)}
		</details>
	);
}

function Leaf({ label, text }: { label: preact.ComponentChildren; text: string }) {
	const isWhole = useSignal(text.length <= STRING_SHOWN_MAX);
	return (
		<div class="json-leaf">
			{label}
			<span class="json-string">
				{JSON.stringify(isWhole.value ? text : text.slice(0, STRING_SHOWN_MAX))}
				{!isWhole.value && (
					<button
						type="button"
						onClick={() => {
							isWhole.value = true;
						}}
					>
						all {text.length.toLocaleString("en-US")} characters
					</button>
				)}
			</span>
		</div>
	);
}
