import type * as monaco from "monaco-editor";
import {
	type BoxPart,
	type SuggestionLayout,
	sizeOf,
	withoutIndentation,
	withoutLinesAbove,
} from "./suggestion-layout.js";

type Monaco = Pick<typeof monaco, "editor">;
type Drawn = Exclude<SuggestionLayout, { kind: "ghost" }>;

// Columns between the code and the box beside it.
const GAP_COLUMNS = 3;
// The padding and border of a box, and the badge at its end.
const BOX_EXTRA_PX = 110;
// Distance of the chip from the edge of the editor, and its height.
const CHIP_MARGIN_PX = 10;
const CHIP_HEIGHT_PX = 26;

/**
 * Draws suggestions in one editor. Only text added inside a line and a box below the code move other text. `accept`
 * acts like the key of that name, for users who click instead.
 */
export class SuggestionView {
	private readonly marks: monaco.editor.IEditorDecorationsCollection;
	private remove: (() => void)[] = [];
	private drawn = "";

	constructor(
		private readonly monaco: Monaco,
		private readonly editor: monaco.editor.ICodeEditor,
		private readonly acceptKey: string,
		private readonly accept: () => void,
	) {
		this.marks = editor.createDecorationsCollection();
	}

	/** Replaces what is drawn. Ghost text is drawn by Monaco, and gets only an arrow and a badge here. */
	draw(layout: SuggestionLayout | undefined, model: monaco.editor.ITextModel): void {
		const drawn = JSON.stringify(layout && [layout, model.id, model.getVersionId()]) ?? "";
		if (drawn === this.drawn) return;
		this.clear();
		this.drawn = drawn;
		if (layout === undefined) return;
		if (layout.kind === "chip") this.addChip(layout);
		else {
			this.marks.set(this.marksOf(layout, model));
			if (layout.kind === "box") this.addBox(layout, model);
			else if (layout.kind !== "ghost")
				this.addBadge(layout.kind === "target" ? "Jump here" : "Accept", layout.at, model);
		}
	}

	clear(): void {
		this.drawn = "";
		this.marks.clear();
		for (const remove of this.remove.splice(0)) remove();
	}

	private marksOf(
		layout: Exclude<SuggestionLayout, { kind: "chip" }>,
		model: monaco.editor.ITextModel,
	): monaco.editor.IModelDeltaDecoration[] {
		const { TrackedRangeStickiness, InjectedTextCursorStops } = this.monaco.editor;
		const stickiness = TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges;
		const mark = (from: number, to: number, options: monaco.editor.IModelDecorationOptions) => {
			const [start, end] = [model.getPositionAt(from), model.getPositionAt(to)];
			const range = {
				...{ startLineNumber: start.lineNumber, startColumn: start.column },
				...{ endLineNumber: end.lineNumber, endColumn: end.column },
			};
			return { range, options: { description: "segue", stickiness, ...options } };
		};
		const marks = [mark(layout.at, layout.at, { linesDecorationsClassName: "segue-arrow", showIfCollapsed: true })];
		if (layout.kind === "target") {
			marks.push(mark(layout.at, layout.at, { beforeContentClassName: "segue-target", showIfCollapsed: true }));
		}
		if (layout.kind === "inline" || layout.kind === "box") {
			for (const { from, to } of layout.removed) marks.push(mark(from, to, { inlineClassName: "segue-removed" }));
		}
		if (layout.kind === "inline") {
			for (const { at, text } of layout.added) {
				const after = {
					...{ content: text, inlineClassName: "segue-added", inlineClassNameAffectsLetterSpacing: true },
					cursorStops: InjectedTextCursorStops.None,
				};
				marks.push(mark(at, at, { after, showIfCollapsed: true }));
			}
		}
		return marks;
	}

	private addBadge(label: string, at: number, model: monaco.editor.ITextModel): void {
		this.addWidget(this.badge(label), at, model);
	}

	/** Adds the box to the right of the lines that the edits touch, or below them if there is no room. */
	private addBox({ at, to, parts }: Extract<Drawn, { kind: "box" }>, model: monaco.editor.ITextModel): void {
		const { tabSize } = model.getOptions();
		const [first, last] = [model.getPositionAt(at).lineNumber, model.getPositionAt(to).lineNumber];
		const column = this.editor.getOption(this.monaco.editor.EditorOption.fontInfo).typicalHalfwidthCharacterWidth;
		const { contentWidth, verticalScrollbarWidth } = this.editor.getLayoutInfo();
		const beside = withoutIndentation(parts);
		const { lines, columns } = sizeOf(beside, tabSize);
		// The box covers as many lines as it has, at least those that the edits touch.
		const covered = Math.min(Math.max(last, first + lines - 1), model.getLineCount());
		let right = 0;
		for (let line = first; line <= covered; line++) right = Math.max(right, this.editor.getWidthOfLine(line));
		const left = right + GAP_COLUMNS * column;
		const room = contentWidth - verticalScrollbarWidth + this.editor.getScrollLeft() - left;
		if (columns * column + BOX_EXTRA_PX > room) {
			this.addZone(withoutLinesAbove(parts), last, tabSize);
			this.addBadge("Accept", at, model);
			return;
		}
		const box = this.block("segue-box", beside, tabSize);
		box.style.marginLeft = `${left - this.editor.getWidthOfLine(first)}px`;
		box.append(this.badge("Accept"));
		this.addWidget(box, at, model);
	}

	private addZone(parts: readonly BoxPart[], afterLineNumber: number, tabSize: number): void {
		const domNode = this.block("segue-zone", parts, tabSize);
		let id = "";
		this.editor.changeViewZones((zones) => {
			id = zones.addZone({ afterLineNumber, heightInLines: sizeOf(parts, tabSize).lines, domNode });
		});
		this.remove.push(() => this.editor.changeViewZones((zones) => zones.removeZone(id)));
	}

	private block(name: string, parts: readonly BoxPart[], tabSize: number): HTMLElement {
		const block = element("div", name, "");
		const text = element("pre", "", "");
		this.editor.applyFontInfo(text);
		text.style.tabSize = `${tabSize}`;
		text.append(...parts.map(({ text, isNew }) => (isNew ? element("span", "segue-added", text) : text)));
		block.append(text);
		return block;
	}

	/** Adds an element after the end of the line of an offset. */
	private addWidget(content: HTMLElement, at: number, model: monaco.editor.ITextModel): void {
		const { ContentWidgetPositionPreference, PositionAffinity } = this.monaco.editor;
		const { lineNumber } = model.getPositionAt(at);
		const node = element("div", "segue-anchor", "");
		node.append(content);
		const widget: monaco.editor.IContentWidget = {
			suppressMouseDown: true,
			getId: () => `segue.${this.editor.getId()}`,
			getDomNode: () => node,
			getPosition: () => ({
				position: { lineNumber, column: model.getLineMaxColumn(lineNumber) },
				preference: [ContentWidgetPositionPreference.EXACT],
				positionAffinity: PositionAffinity.RightOfInjectedText,
			}),
		};
		this.editor.addContentWidget(widget);
		this.remove.push(() => this.editor.removeContentWidget(widget));
	}

	private addChip({ arrow, file, label }: Extract<Drawn, { kind: "chip" }>): void {
		const chip = element("button", "segue-chip", "");
		chip.append(...this.keyCap(), `${arrow} `);
		if (file !== undefined) chip.append(element("strong", "", file), " · ");
		chip.append(...withCode(label));
		this.onPress(chip);
		const { height } = this.editor.getLayoutInfo();
		const top = arrow === "↑" ? CHIP_MARGIN_PX : height - CHIP_HEIGHT_PX - CHIP_MARGIN_PX;
		chip.style.top = `${top}px`;
		const widget: monaco.editor.IOverlayWidget = {
			getId: () => `segue.chip.${this.editor.getId()}`,
			getDomNode: () => chip,
			getPosition: () => null,
		};
		this.editor.addOverlayWidget(widget);
		this.remove.push(() => this.editor.removeOverlayWidget(widget));
	}

	/** Returns nothing if no key accepts. */
	private keyCap(): (HTMLElement | string)[] {
		return this.acceptKey === "" ? [] : [element("kbd", "", this.acceptKey), " "];
	}

	private badge(label: string): HTMLElement {
		const badge = element("span", "segue-badge", "");
		badge.append(...this.keyCap(), label);
		// The status for screen readers describes the suggestion.
		badge.ariaHidden = "true";
		this.onPress(badge);
		return badge;
	}

	private onPress(node: HTMLElement): void {
		node.addEventListener("mousedown", (event) => {
			// Keeps the focus in the editor.
			event.preventDefault();
			this.accept();
		});
	}
}

function element(
	tag: "div" | "span" | "pre" | "kbd" | "button" | "strong" | "code",
	name: string,
	text: string,
): HTMLElement {
	const node = document.createElement(tag);
	node.className = name;
	node.textContent = text;
	return node;
}

/** Converts words between backticks to code. */
function withCode(text: string): (Node | string)[] {
	return text.split("`").map((part, i) => (i % 2 === 0 ? part : element("code", "", part)));
}
