// Every colour can be set by the page with the variable that is named first. Colours of `.vs-dark` are for dark themes.
const COLOURS = `
.monaco-editor {
	--segue-text: var(--segue-text-color, #1f2329);
	--segue-accent: var(--segue-accent-color, #4145c9);
	--segue-accent-back: var(--segue-accent-background, #e9ecff);
	--segue-added: var(--segue-added-color, #116329);
	--segue-added-back: var(--segue-added-background, #dff5e4);
	--segue-removed: var(--segue-removed-color, #a8202f);
	--segue-removed-back: var(--segue-removed-background, #fde3e4);
	--segue-box-back: var(--segue-box-background, #f6f7f9);
	--segue-box-line: var(--segue-box-border, #c9ced8);
}
.monaco-editor:is(.vs-dark, .hc-black) {
	--segue-text: var(--segue-text-color, #e3e6eb);
	--segue-accent: var(--segue-accent-color, #a5afff);
	--segue-accent-back: var(--segue-accent-background, #272d4d);
	--segue-added: var(--segue-added-color, #8fdda3);
	--segue-added-back: var(--segue-added-background, #17341f);
	--segue-removed: var(--segue-removed-color, #ffa3a9);
	--segue-removed-back: var(--segue-removed-background, #45202a);
	--segue-box-back: var(--segue-box-background, #252a33);
	--segue-box-line: var(--segue-box-border, #4a5160);
}`;

const RULES = `
.monaco-editor .segue-removed {
	background: var(--segue-removed-back);
	color: var(--segue-removed) !important;
	text-decoration: line-through;
}
.monaco-editor .segue-added {
	background: var(--segue-added-back);
	color: var(--segue-added) !important;
}
.monaco-editor .segue-arrow::before {
	content: "→" / "";
	position: absolute;
	left: 1px;
	color: var(--segue-accent);
	font-weight: 700;
}
.monaco-editor .segue-target {
	display: inline-block;
	width: 2px;
	height: 1.2em;
	margin-right: -2px;
	vertical-align: middle;
	background: var(--segue-accent);
}
.monaco-editor .segue-badge,
.monaco-editor .segue-chip {
	padding: 0 6px 0 3px;
	font: 500 11px / 17px system-ui, sans-serif;
	color: var(--segue-accent);
	background: var(--segue-accent-back);
	border: 0;
	border-radius: 5px;
	white-space: nowrap;
	cursor: pointer;
}
.monaco-editor .segue-badge {
	display: inline-block;
	margin: 0 0 0 12px;
	vertical-align: 1px;
}
.monaco-editor :is(.segue-badge, .segue-chip) kbd {
	padding: 0 4px;
	font: inherit;
	color: var(--segue-accent-back);
	background: var(--segue-accent);
	border: 0;
	border-radius: 3px;
	box-shadow: none;
}
.monaco-editor .segue-anchor {
	z-index: 5;
}
.monaco-editor .segue-box {
	display: flex;
	align-items: end;
	color: var(--segue-text);
	white-space: pre;
}
.monaco-editor .segue-box > pre {
	margin: -3px 0 0;
	padding: 2px 8px;
	font: inherit;
	background: var(--segue-box-back);
	border: 1px solid var(--segue-box-line);
	border-left: 3px solid var(--segue-added);
	border-radius: 5px;
}
.monaco-editor .segue-zone {
	color: var(--segue-text);
	white-space: pre;
	background: var(--segue-box-back);
	box-shadow: inset 3px 0 var(--segue-added);
}
.monaco-editor .segue-zone > pre {
	margin: 0;
	font: inherit;
}
.monaco-editor .segue-chip {
	left: 50%;
	max-width: calc(100% - 32px);
	padding: 3px 12px 3px 6px;
	translate: -50%;
	overflow: hidden;
	text-overflow: ellipsis;
	border: 1px solid var(--segue-accent);
	border-radius: 99px;
}
.segue-tab-indents .monaco-editor :is(.segue-badge, .segue-chip kbd),
.monaco-editor:has(.suggest-widget.visible, .snippet-placeholder) :is(.segue-badge, .segue-chip kbd) {
	visibility: hidden;
}
.segue-status {
	position: absolute;
	width: 1px;
	height: 1px;
	overflow: hidden;
	clip-path: inset(50%);
}`;

/** Adds the plugin's styles to the page. Returns a function that removes them. */
export function addStyles(): () => void {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(COLOURS + RULES);
	document.adoptedStyleSheets.push(sheet);
	return () => {
		document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
	};
}
