import { type EditorState, type Extension, Facet } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";

export interface DrawingOptions {
	/** The file that the editor shows. */
	readonly uri: string;
	/** Acts like the key that accepts, for users who click instead. */
	readonly accept: () => void;
	/** The key that accepts, in CodeMirror's notation; empty if no key does. Default: `Tab`. */
	readonly acceptKey?: string;
}

export const drawingOptions = Facet.define<DrawingOptions, Required<DrawingOptions>>({
	combine: ([options]) => ({ uri: "", accept: () => {}, acceptKey: "Tab", ...options }),
});

/** Returns the options with which a file's drawing was created. */
export function optionsIn(state: EditorState): Required<DrawingOptions> {
	return state.facet(drawingOptions);
}

/** The key that accepts the suggestion, and what it does, at the end of a line. A click does the same. */
export class Badge extends WidgetType {
	constructor(private readonly label: string) {
		super();
	}

	override eq(other: Badge): boolean {
		return other.label === this.label;
	}

	override toDOM(view: EditorView): HTMLElement {
		// Stays at the end of the line while the badge in it is moved, so that it can be measured at any time.
		const place = document.createElement("span");
		place.className = "segue-badge-place";
		place.append(badge(this.label, view));
		return place;
	}
}

/** Draws a badge. */
export function badge(label: string, view: EditorView): HTMLElement {
	const drawn = document.createElement("span");
	drawn.className = "segue-badge";
	drawn.dataset["segue"] = "badge";
	drawn.append(acceptKeyIn(view.state), ` ${label}`);
	// The plugin or its page announces the suggestion and its keys to screen readers.
	drawn.ariaHidden = "true";
	drawn.addEventListener("mousedown", (event) => {
		event.preventDefault();
		optionsIn(view.state).accept();
	});
	return drawn;
}

/** Returns the name of the key that accepts, as users of this platform know it; an empty string if no key does. */
export function acceptKeyIn(state: EditorState): HTMLElement | "" {
	if (optionsIn(state).acceptKey === "") return "";
	const key = document.createElement("kbd");
	const mod = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? "⌘ " : "Ctrl ";
	key.textContent = optionsIn(state).acceptKey.replace("Mod-", mod);
	return key;
}

/** Moves a badge below its line, at the edge of the editor, if there is no room for it at the end of the line. */
export const badgePlacement: Extension = ViewPlugin.define(
	(view) => {
		measureBadge(view);
		return {
			update({ view, transactions, geometryChanged, viewportChanged }: ViewUpdate): void {
				if (transactions.length > 0 || geometryChanged || viewportChanged) measureBadge(view);
			},
		};
	},
	{
		eventObservers: {
			scroll(_event, view) {
				measureBadge(view);
			},
		},
	},
);

function measureBadge(view: EditorView): void {
	view.requestMeasure({
		key: measureBadge,
		read: ({ contentDOM, scrollDOM }) => {
			const place = contentDOM.querySelector(".segue-badge-place");
			const edge = scrollDOM.getBoundingClientRect().left + scrollDOM.clientWidth;
			if (!(place instanceof HTMLElement)) return undefined;
			return { place, isCut: place.getBoundingClientRect().right > edge };
		},
		write: (measured) => {
			if (measured === undefined) return;
			measured.place.classList.toggle("segue-below", measured.isCut);
			measured.place.style.setProperty("--line", `${view.defaultLineHeight}px`);
		},
	});
}
