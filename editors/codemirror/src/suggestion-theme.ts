import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * The colours of suggestions in light and dark editors. A page overrides them with CSS variables named `--segue-NAME`,
 * for example `--segue-accent`.
 */
export const SUGGESTION_COLOURS = {
	dim: ["#566070", "#a3acba"],
	accent: ["#4145c9", "#a5afff"],
	"accent-back": ["#e9ecff", "#272d4d"],
	/** Text on the accent colour. */
	"on-accent": ["#ffffff", "#17191e"],
	added: ["#116329", "#8fdda3"],
	"added-back": ["#dff5e4", "#17341f"],
	removed: ["#a8202f", "#ffa3a9"],
	"removed-back": ["#fde3e4", "#45202a"],
	"box-back": ["#f6f7f9", "#1e2127"],
	"box-line": ["#dfe2e8", "#31363f"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

type Colour = keyof typeof SUGGESTION_COLOURS;

const SHADOW = "0 1px 2px rgb(0 0 0 / 15%), 0 6px 18px rgb(0 0 0 / 18%)";
const NARROW = "@media (max-width: 760px)";

/** The base theme of suggestions. Themes and style sheets of the page override it. */
export const suggestionTheme: Extension = EditorView.baseTheme({
	"&light": variables(0),
	"&dark": variables(1),
	".segue-ghost": { color: colour("dim"), fontStyle: "italic", whiteSpace: "pre-wrap" },
	"div.segue-ghost": { paddingLeft: "var(--segue-line-padding, 6px)" },
	".segue-removed": {
		background: colour("removed-back"),
		color: colour("removed"),
		borderRadius: "3px",
		textDecoration: "line-through",
	},
	".segue-removed *": { color: "inherit" },
	".segue-added": {
		background: colour("added-back"),
		color: colour("added"),
		borderRadius: "3px",
		boxShadow: `0 0 0 1px color-mix(in srgb, ${colour("added")} 35%, transparent)`,
		whiteSpace: "pre-wrap",
	},
	// The suggestion's line has an arrow in place of its number.
	".cm-lineNumbers .segue-arrow": { position: "relative", color: "transparent" },
	".cm-lineNumbers .segue-arrow::after": {
		content: '"→" / ""',
		position: "absolute",
		right: "3px",
		color: colour("accent"),
		fontWeight: "700",
	},
	// The key that accepts the suggestion, after the end of the line.
	".segue-badge": {
		display: "inline-block",
		marginLeft: "1.5ch",
		padding: "0 6px 0 3px",
		font: "500 0.6875rem / 1.5 system-ui, sans-serif",
		color: colour("accent"),
		background: colour("accent-back"),
		borderRadius: "5px",
		verticalAlign: "1px",
		whiteSpace: "nowrap",
		cursor: "pointer",
		userSelect: "none",
	},
	// The line has no room for the badge.
	".segue-badge-place.segue-below .segue-badge": {
		position: "sticky",
		right: "4px",
		zIndex: "1",
		translate: "0 var(--line)",
		boxShadow: SHADOW,
	},
	...eachOf([".segue-badge kbd", ".segue-chip kbd"], {
		display: "inline-block",
		minWidth: "0",
		padding: "0 4px",
		font: "600 0.95em / 1.4 ui-monospace, monospace",
		color: colour("on-accent"),
		background: colour("accent"),
		border: "0",
		borderRadius: "3px",
	}),
	...eachOf(["&.segue-badges-hidden .segue-badge", "&.segue-badges-hidden .segue-chip kbd"], { display: "none" }),
	// The target of a jump.
	".segue-target": { position: "relative" },
	".segue-target::before": {
		content: '""',
		position: "absolute",
		left: "-1px",
		top: "0",
		width: "2px",
		height: "1.25em",
		background: colour("accent"),
		borderRadius: "1px",
	},
	// A box to the right of the affected lines. It covers text instead of moving it.
	".segue-beside": { position: "relative" },
	".segue-beside > span": {
		position: "absolute",
		left: "calc(var(--right) + 3ch)",
		top: "-4px",
		zIndex: "1",
		padding: "2px 8px",
		background: colour("box-back"),
		border: `1px solid ${colour("box-line")}`,
		borderLeft: `3px solid ${colour("added")}`,
		borderRadius: "5px",
		boxShadow: SHADOW,
		whiteSpace: "pre",
	},
	".segue-beside > .segue-below": {
		left: "calc(-1 * var(--left) - 11px)",
		top: "calc(1lh * var(--lines) + 2px)",
	},
	".segue-beside .segue-added": { boxShadow: "none" },
	".segue-beside .segue-badge": { position: "absolute", left: "100%", bottom: "-1px", marginLeft: "4px" },
	".segue-beside > .segue-below .segue-badge": {
		left: "auto",
		right: "0",
		bottom: "auto",
		top: "calc(100% + 2px)",
	},
	// For a suggestion that is not visible or is in another file.
	".segue-edge": { position: "sticky", top: "0", bottom: "0", height: "0", zIndex: "2" },
	".segue-chip": {
		position: "absolute",
		left: "50%",
		translate: "-50%",
		display: "block",
		maxWidth: "calc(100% - 32px)",
		padding: "3px 12px 3px 6px",
		overflow: "hidden",
		textOverflow: "ellipsis",
		whiteSpace: "nowrap",
		font: "0.75rem / 1.6 system-ui, sans-serif",
		color: colour("accent"),
		background: colour("accent-back"),
		border: `1px solid ${colour("accent")}`,
		borderRadius: "99px",
		boxShadow: SHADOW,
		cursor: "pointer",
	},
	".segue-chip-above": { top: "8px" },
	".segue-chip-below": { bottom: "12px" },
	// Briefly highlights the text of an accepted suggestion.
	"@keyframes segue-landed": {
		from: { background: `color-mix(in srgb, ${colour("added")} 45%, transparent)` },
	},
	".segue-landed": { borderRadius: "3px", animation: "segue-landed 700ms ease-out" },
	"@media (prefers-reduced-motion: reduce)": { ".segue-landed": { animation: "none" } },
	[NARROW]: {
		// There is no room beside the code, so the box is below it.
		".segue-beside > span": {
			position: "static",
			display: "block",
			width: "fit-content",
			maxWidth: "100%",
			overflowX: "auto",
		},
		...eachOf([".segue-beside .segue-badge", ".segue-beside > .segue-below .segue-badge"], {
			position: "static",
			margin: "2px 0",
		}),
		".segue-chip": { minHeight: "36px" },
	},
	// Forced colours remove backgrounds and shadows, so lines replace them.
	"@media (forced-colors: active)": {
		...eachOf([".segue-chip", ".segue-badge kbd"], { border: "1px solid" }),
		".segue-added": { textDecoration: "underline double" },
		".segue-ghost": { color: "GrayText" },
		".segue-target::before": { background: "Highlight" },
	},
});

/** Returns the colour in use: the page's, or else the default for the editor's theme. */
function colour(name: Colour): string {
	return `var(--segue-current-${name})`;
}

function variables(theme: 0 | 1): Record<string, string> {
	const names = Object.keys(SUGGESTION_COLOURS) as Colour[];
	return Object.fromEntries(
		names.map((name) => [`--segue-current-${name}`, `var(--segue-${name}, ${SUGGESTION_COLOURS[name][theme]})`]),
	);
}

function eachOf<T>(selectors: readonly string[], style: T): Record<string, T> {
	return Object.fromEntries(selectors.map((selector) => [selector, style]));
}
