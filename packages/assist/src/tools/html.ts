/** Converts HTML to plain text, with a line for each block. Drops link targets and images. */
export function htmlToText(html: string): string {
	const pieces: string[] = [];
	let at = 0;
	while (at < html.length) {
		const open = html.indexOf("<", at);
		if (open === -1) break;
		pieces.push(html.slice(at, open));
		const tag = tagAt(html, open);
		if (tag === undefined) {
			pieces.push("<");
			at = open + 1;
			continue;
		}
		if (BLOCK.test(tag.name)) pieces.push("\n");
		else if (CELL.test(tag.name)) pieces.push(" ");
		at = tag.to;
		if (!tag.isEnd && UNSEEN.test(tag.name)) at = endOf(html, tag.name, at);
	}
	pieces.push(html.slice(at));
	return decodeEntities(pieces.join(""))
		.split("\n")
		.map((line) => line.replace(/\s+/g, " ").trim())
		.filter((line, i, lines) => line !== "" || (i > 0 && lines[i - 1] !== ""))
		.join("\n")
		.trim();
}

const UNSEEN = /^(?:script|style|noscript|template|svg|iframe|object)$/;
const BLOCK =
	/^(?:address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|title|tr|ul)$/;
const CELL = /^t[dh]$/;

interface Tag {
	readonly name: string;
	readonly isEnd: boolean;
	/** The offset after the tag. */
	readonly to: number;
}

/** Returns the tag at `open`; undefined if the `<` there does not start one. */
function tagAt(html: string, open: number): Tag | undefined {
	if (html.startsWith("<!--", open)) return { name: "", isEnd: false, to: after(html, "-->", open + 4) };
	START.lastIndex = open;
	const start = START.exec(html);
	if (start === null) return undefined;
	const [whole, slash = "", name = ""] = start;
	return { name: name.toLowerCase(), isEnd: slash !== "", to: closeOf(html, open + whole.length) };
}

const START = /<([/!?]?)([a-z][a-z0-9:-]*)/iy;

/** Returns the offset after the `>` that closes a tag, ignoring any in quoted attributes. */
function closeOf(html: string, from: number): number {
	let quote = "";
	for (let at = from; at < html.length; at++) {
		const sign = html[at] as string;
		if (quote !== "") quote = sign === quote ? "" : quote;
		else if (sign === ">") return at + 1;
		else if (sign === '"' || sign === "'") quote = sign;
	}
	return html.length;
}

/** Returns the offset after an element's end tag. */
function endOf(html: string, name: string, from: number): number {
	const end = new RegExp(`</${name}`, "gi");
	end.lastIndex = from;
	return end.exec(html) === null ? html.length : closeOf(html, end.lastIndex);
}

function after(html: string, mark: string, from: number): number {
	const at = html.indexOf(mark, from);
	return at === -1 ? html.length : at + mark.length;
}

const ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
	nbsp: " ",
	ndash: "–",
	mdash: "—",
	hellip: "…",
	copy: "©",
	laquo: "«",
	raquo: "»",
	rarr: "→",
	larr: "←",
};

function decodeEntities(text: string): string {
	return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (written, hex, decimal, name) => {
		if (name !== undefined) return ENTITIES[name] ?? written;
		const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
		return code > 0x10_ffff || (code >= 0xd800 && code < 0xe000) || code === 0 ? "\ufffd" : String.fromCodePoint(code);
	});
}
