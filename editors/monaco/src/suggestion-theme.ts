// The page can set each colour with a variable, such as `--segue-accent`.
const COLOURS = `
.monaco-editor {
	--monaco-segue-text: var(--segue-box-text, #1f2329);
	--monaco-segue-accent: var(--segue-accent, #4145c9);
	--monaco-segue-accent-back: var(--segue-accent-back, #e9ecff);
	--monaco-segue-added: var(--segue-added, #116329);
	--monaco-segue-added-back: var(--segue-added-back, #dff5e4);
	--monaco-segue-removed: var(--segue-removed, #a8202f);
	--monaco-segue-removed-back: var(--segue-removed-back, #fde3e4);
	--monaco-segue-box-back: var(--segue-box-back, #f6f7f9);
	--monaco-segue-box-line: var(--segue-box-line, #c9ced8);
}
.monaco-editor:is(.vs-dark, .hc-black) {
	--monaco-segue-text: var(--segue-box-text, #e3e6eb);
	--monaco-segue-accent: var(--segue-accent, #a5afff);
	--monaco-segue-accent-back: var(--segue-accent-back, #272d4d);
	--monaco-segue-added: var(--segue-added, #8fdda3);
	--monaco-segue-added-back: var(--segue-added-back, #17341f);
	--monaco-segue-removed: var(--segue-removed, #ffa3a9);
	--monaco-segue-removed-back: var(--segue-removed-back, #45202a);
	--monaco-segue-box-back: var(--segue-box-back, #252a33);
	--monaco-segue-box-line: var(--segue-box-line, #4a5160);
}`;

const RULES = `
.monaco-editor .segue-removed {
	background: var(--monaco-segue-removed-back);
	color: var(--monaco-segue-removed) !important;
	text-decoration: line-through;
}
.monaco-editor .segue-added {
	background: var(--monaco-segue-added-back);
	color: var(--monaco-segue-added) !important;
}
.monaco-editor .segue-arrow::before {
	content: "→" / "";
	position: absolute;
	left: 1px;
	color: var(--monaco-segue-accent);
	font-weight: 700;
}
.monaco-editor .segue-target {
	display: inline-block;
	width: 2px;
	height: 1.2em;
	margin-right: -2px;
	vertical-align: middle;
	background: var(--monaco-segue-accent);
}
.monaco-editor .segue-badge,
.monaco-editor .segue-chip {
	padding: 0 6px 0 3px;
	font: 500 11px / 17px system-ui, sans-serif;
	color: var(--monaco-segue-accent);
	background: var(--monaco-segue-accent-back);
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
	color: var(--monaco-segue-accent-back);
	background: var(--monaco-segue-accent);
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
	color: var(--monaco-segue-text);
	white-space: pre;
}
.monaco-editor .segue-box > pre {
	margin: -3px 0 0;
	padding: 2px 8px;
	font: inherit;
	background: var(--monaco-segue-box-back);
	border: 1px solid var(--monaco-segue-box-line);
	border-left: 3px solid var(--monaco-segue-added);
	border-radius: 5px;
}
.monaco-editor .segue-zone {
	color: var(--monaco-segue-text);
	white-space: pre;
	background: var(--monaco-segue-box-back);
	box-shadow: inset 3px 0 var(--monaco-segue-added);
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
	border: 1px solid var(--monaco-segue-accent);
	border-radius: 99px;
}
.segue-badges-hidden .monaco-editor :is(.segue-badge, .segue-chip kbd),
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
