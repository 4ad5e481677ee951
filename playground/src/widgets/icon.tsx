/** Shapes on a 16×16 grid, drawn with lines in the colour of the surrounding text. */
const SHAPES = {
	play: "M5 3.5v9l7.5-4.5z",
	stop: "M4.5 4.5h7v7h-7z",
	check: "M3 8.5l3.2 3.2L13 5",
	close: "M4 4l8 8M12 4l-8 8",
	chevron: "M6 4l4 4-4 4",
	folder: "M1.8 12.5v-9h4.4l1.6 2h6.4v7z",
	file: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
	keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.4 6.5h.01M12 6.5h.01M4.5 9.5h7",
	panels: "M1.8 2.8h12.4v10.4H1.8zM9.5 2.8v10.4",
	editor: "M5.2 4.2L1.5 8l3.7 3.8M10.8 4.2L14.5 8l-3.7 3.8M9.2 3l-2.4 10",
	guide: "M8 1.8l6.4 2.9L8 7.6 1.6 4.7zM4 6.2v4c1 1.2 2.4 1.8 4 1.8s3-.6 4-1.8v-4M14.4 4.7v4.5",
	light:
		"M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.2v1.3M8 13.5v1.3M1.2 8h1.3M13.5 8h1.3M3.2 3.2l.9.9M11.9 11.9l.9.9M12.8 3.2l-.9.9M4.1 11.9l-.9.9",
	dark: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z",
	system: "M1.8 3h12.4v8.2H1.8zM5.5 13.8h5M8 11.2v2.6",
	stories: "M8 4.2C6.6 3.2 4.6 2.8 2 2.8v9.6c2.6 0 4.6.4 6 1.4 1.4-1 3.4-1.4 6-1.4V2.8c-2.6 0-4.6.4-6 1.4zM8 4.2v9.6",
	inspector: "M1.5 8h3l2-5 3 10 2-5h3",
	statistics: "M2 13.8h12M4 11.5V8M8 11.5v-8M12 11.5V6",
	chat: "M2 2.8h12v8.4H7.5L4.2 14v-2.8H2z",
	settings:
		"M1.8 4.5h7M12.2 4.5h2M1.8 11.5h2M7.2 11.5h7M10.5 2.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM5.5 9.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z",
	model:
		"M4.5 4.5h7v7h-7zM6.5 1.8v2.7M9.5 1.8v2.7M6.5 11.5v2.7M9.5 11.5v2.7M1.8 6.5h2.7M1.8 9.5h2.7M11.5 6.5h2.7M11.5 9.5h2.7",
	snooze: "M3.5 2.5h5l-5 6h5M9.5 8.5h3.8l-3.8 5h3.8",
	warning: "M8 2l6.5 11.5h-13zM8 6.5v3.2M8 11.6h.01",
	refresh: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
	copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
	send: "M2 8l12-5.5L9.5 14 8 9z",
} as const;

export type IconName = keyof typeof SHAPES;

/** An icon next to a label or in place of one. The control's text or label says the same. */
export function Icon({ name }: { name: IconName }) {
	return (
		<svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
			<path d={SHAPES[name]} />
		</svg>
	);
}

/** The product's logo: a cursor, and an arrow to the next edit. */
export function Logo() {
	return (
		<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
			<rect x="1" y="1" width="22" height="22" rx="6" />
			<path d="M7 6.5v11M11 12h6.5M14.5 8.5L18 12l-3.5 3.5" />
		</svg>
	);
}
