import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** A resizable part of the page. Sizes are percentages of the width that the parts share. */
export type PaneName = keyof typeof PANES;

const PANES = {
	explorer: { label: "Explorer width", standard: 18, min: 10, max: 40, side: "left" },
	panels: { label: "Panels width", standard: 40, min: 20, max: 65, side: "right" },
} as const;

// Leaves a fifth of the width for the editor. The limits above allow either part to reach its maximum.
const SUM_MAX = 80;

type Sizes = Readonly<Record<PaneName, number>>;

// Percent per press of an arrow key, without and with Shift.
const STEP = 2;
const LARGE_STEP = 10;

const KEY = "segue-pane-sizes";

/** Stored in the browser. */
const sizes = signal<Sizes>(readSizes());

/** Returns the sizes as CSS variables, `--explorer` and `--panels`, for the element that contains the parts. */
export function paneStyle(): Readonly<Record<string, string>> {
	return { "--explorer": `${sizes.value.explorer}%`, "--panels": `${sizes.value.panels}%` };
}

/**
 * A handle between two parts, for the mouse, touch and the keyboard: arrow keys resize, Home and End go to the limits,
 * and Enter or a double-click restores the standard size.
 */
export function Splitter({ pane, controls }: { pane: PaneName; controls: string }) {
	const { label, standard, min, max, side } = PANES[pane];
	const handle = useRef<HTMLDivElement>(null);
	const size = sizes.value[pane];
	const resize = (to: number) => setSize(pane, to);
	const drag = (event: PointerEvent) => {
		const { left, width } = handle.current?.parentElement?.getBoundingClientRect() ?? { left: 0, width: 1 };
		const fromLeft = ((event.clientX - left) / width) * 100;
		resize(side === "left" ? fromLeft : 100 - fromLeft);
	};
	const press = (event: KeyboardEvent) => {
		const step = (event.shiftKey ? LARGE_STEP : STEP) * (side === "left" ? 1 : -1);
		const keys: Readonly<Record<string, number>> = {
			ArrowRight: size + step,
			ArrowLeft: size - step,
			Home: min,
			End: max,
			Enter: standard,
		};
		const next = keys[event.key];
		if (next === undefined) return;
		event.preventDefault();
		resize(next);
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; the separator role with a value can.
		<div
			ref={handle}
			class="splitter"
			role="separator"
			tabIndex={0}
			aria-label={label}
			aria-orientation="vertical"
			aria-controls={controls}
			aria-valuenow={Math.round(size)}
			aria-valuemin={min}
			aria-valuemax={max}
			title="Drag to resize, double-click to reset"
			onPointerDown={(event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
			}}
			onPointerMove={(event) => {
				if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event);
			}}
			onDblClick={() => resize(standard)}
			onKeyDown={press}
		/>
	);
}

function setSize(pane: PaneName, to: number): void {
	sizes.value = resized(sizes.value, pane, to);
	try {
		localStorage.setItem(KEY, JSON.stringify(sizes.value));
	} catch {
		// Without storage the sizes last until the page is closed.
	}
}

/** Resizes a part within its limits. The other part becomes smaller if too little is left for the editor. */
export function resized(before: Sizes, pane: PaneName, to: number): Sizes {
	const size = clamp(pane, to);
	const rest = (other: PaneName) => Math.min(before[other], SUM_MAX - size);
	return { explorer: rest("explorer"), panels: rest("panels"), [pane]: size };
}

function clamp(pane: PaneName, size: number): number {
	const { min, max } = PANES[pane];
	return Math.max(min, Math.min(max, size));
}

function readSizes(): Sizes {
	let stored: Partial<Record<PaneName, unknown>> | null = null;
	try {
		stored = JSON.parse(localStorage.getItem(KEY) ?? "null");
	} catch {
		// The stored value is not valid JSON, or the browser does not allow storage.
	}
	const sizeOf = (pane: PaneName) => {
		const size = stored?.[pane];
		return typeof size === "number" ? clamp(pane, size) : PANES[pane].standard;
	};
	const panels = sizeOf("panels");
	return resized({ explorer: sizeOf("explorer"), panels }, "panels", panels);
}

const HIDDEN_KEY = "segue-panels-hidden";

/** Whether the panels are hidden. The user's choice is stored in the browser. */
export const arePanelsHidden = signal(readHidden() ?? false);

/** Hides or shows the panels, and remembers the choice for all windows. */
export function togglePanels(): void {
	arePanelsHidden.value = !arePanelsHidden.value;
	storeHidden(() => localStorage);
}

/** Hides the panels in this window, unless the user has made a choice. */
export function hidePanelsByDefault(): void {
	if (readHidden() !== undefined) return;
	arePanelsHidden.value = true;
	storeHidden(() => sessionStorage);
}

function storeHidden(storage: () => Storage): void {
	try {
		storage().setItem(HIDDEN_KEY, String(arePanelsHidden.value));
	} catch {
		// Without storage the choice lasts until the page is closed.
	}
}

function readHidden(): boolean | undefined {
	try {
		const stored = localStorage.getItem(HIDDEN_KEY) ?? sessionStorage.getItem(HIDDEN_KEY);
		return stored === null ? undefined : stored === "true";
	} catch {
		return undefined;
	}
}
