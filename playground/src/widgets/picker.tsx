import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.js";

/** An item in the list. */
interface Choice {
	readonly id: string;
	readonly title: string;
}

interface Picking {
	readonly choices: readonly Choice[];
	/** The id of the current item. */
	readonly picked?: string | undefined;
	readonly pick: (id: string) => void;
}

// A shorter list needs no filter, and on a phone, focusing one would open a keyboard that covers the list.
const FILTERED_FROM = 6;

// More than users scroll through. The filter finds the rest.
const LISTED_MAX = 200;

/**
 * A button that opens a list below it, or above it in the lower half of the window. Arrow keys move through the list;
 * Enter or a click selects an item.
 */
export function Picker({ label, text, icon, ...picking }: Picking & { label: string; text: string; icon?: IconName }) {
	const id = useId();
	const isOpen = useSignal(false);
	const button = useRef<HTMLButtonElement>(null);
	const popup = useRef<HTMLDivElement>(null);
	return (
		<>
			<button
				type="button"
				class="picker"
				ref={button}
				aria-label={label}
				aria-haspopup="listbox"
				aria-expanded={isOpen.value}
				popovertarget={id}
			>
				{icon && <Icon name={icon} />}
				<span class="label">{text}</span>
			</button>
			<div
				popover="auto"
				class="choices"
				id={id}
				ref={popup}
				onBeforeToggle={({ newState, currentTarget }) => {
					if (newState === "closed") return;
					isOpen.value = true;
					const { left = 0, top = 0, bottom = 0 } = button.current?.getBoundingClientRect() ?? {};
					const isBelow = top < innerHeight / 2;
					currentTarget.classList.toggle("above", !isBelow);
					currentTarget.style.setProperty("--left", `${left}px`);
					currentTarget.style.setProperty("--distance", `${isBelow ? bottom : innerHeight - top}px`);
				}}
				// Not in `beforetoggle`: the focused element must exist until the list has closed, or the button does
				// not get the focus back.
				onToggle={({ newState }) => {
					if (newState === "closed") isOpen.value = false;
				}}
			>
				{isOpen.value && (
					<Choices
						{...picking}
						label={label}
						pick={(picked) => {
							popup.current?.hidePopover();
							picking.pick(picked);
						}}
					/>
				)}
			</div>
		</>
	);
}

function Choices({ label, choices, picked, pick }: Picking & { label: string }) {
	const id = useId();
	const filter = useSignal("");
	const before = choices.findIndex((choice) => choice.id === picked);
	const at = useSignal(Math.max(0, before));
	const field = useRef<HTMLInputElement>(null);
	const list = useRef<HTMLDivElement>(null);
	const found = choices.filter(({ title }) => fits(title, filter.value));
	const listed = found.slice(0, LISTED_MAX);
	const isFiltered = choices.length >= FILTERED_FROM;
	// Focuses the list if it is rendered after its popover is shown. If it is rendered before that, `autofocus` does.
	useLayoutEffect(() => (field.current ?? list.current)?.focus(), []);
	useEffect(() => {
		list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [at.value, filter.value]);
	const walked = {
		"aria-activedescendant": listed.length === 0 ? undefined : `${id}-${at.value}`,
		onKeyDown: (event: KeyboardEvent) => {
			// While an input method is composing, it handles the keys.
			if (event.isComposing) return;
			const chosen = listed[at.value];
			const next = indexAfter(at.value, listed.length, event.key);
			if (next !== undefined) at.value = next;
			// In the filter, the space bar types a space.
			else if (event.key !== "Enter" && (event.key !== " " || event.currentTarget === field.current)) return;
			else if (chosen !== undefined) pick(chosen.id);
			event.preventDefault();
		},
	};
	return (
		<>
			{isFiltered && (
				<input
					type="search"
					ref={field}
					autofocus
					aria-label={`${label}: filter`}
					placeholder="Filter"
					aria-controls={id}
					aria-autocomplete="list"
					autocomplete="off"
					value={filter.value}
					onInput={({ currentTarget }) => {
						filter.value = currentTarget.value;
						at.value = 0;
					}}
					{...walked}
				/>
			)}
			<div id={id} ref={list} role="listbox" aria-label={label} tabIndex={0} autofocus={!isFiltered} {...walked}>
				{listed.map((choice, i) => (
					<button
						type="button"
						role="option"
						key={choice.id}
						id={`${id}-${i}`}
						tabIndex={-1}
						aria-selected={i === at.value}
						onClick={() => pick(choice.id)}
					>
						{choice.title}
					</button>
				))}
			</div>
			{found.length !== listed.length && <p class="remark">and {found.length - listed.length} more</p>}
			{found.length === 0 && <p class="remark">No matches.</p>}
		</>
	);
}

/** Whether a title contains all words in a filter, in any order. */
function fits(title: string, filter: string): boolean {
	const lower = title.toLowerCase();
	return filter
		.toLowerCase()
		.split(/\s+/)
		.every((word) => lower.includes(word));
}

// About as many items as are visible.
const PAGE = 8;

function indexAfter(at: number, count: number, key: string): number | undefined {
	const by = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[key];
	return by === undefined ? undefined : Math.max(0, Math.min(count - 1, at + by));
}
