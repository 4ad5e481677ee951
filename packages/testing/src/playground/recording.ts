import { applyPalette, GIFEncoder, quantize } from "gifenc";
import { PNG } from "pngjs";
import type { Page } from "./browser.js";

// More colours would enlarge the file, and the page has only a few.
const COLOURS_MAX = 96;

/** An animation of a page, with one screenshot per frame. */
export class PageRecording {
	private readonly frames: { readonly image: PNG; readonly delayMs: number }[] = [];

	constructor(private readonly page: Page) {}

	/** Adds the page's current appearance as a frame that is shown for `delayMs`. */
	async frame(delayMs: number): Promise<void> {
		const image = PNG.sync.read(await this.page.screenshot({ animations: "disabled", caret: "initial" }));
		this.frames.push({ image, delayMs });
	}

	/** Encodes the frames as a looping GIF. Unchanged pixels are transparent, which keeps the file small. */
	encode(): Uint8Array {
		const [first] = this.frames;
		if (first === undefined) throw new RangeError("a recording needs at least one frame");
		const { width, height } = first.image;
		const samples = this.frames.map(({ image }) => image.data.filter((_, i) => (i >> 2) % 7 === 0));
		const palette = quantize(Buffer.concat(samples), COLOURS_MAX - 1, { format: "rgb565" });
		const transparentIndex = palette.length;
		const encoder = GIFEncoder();
		let previous: Uint8Array | undefined;
		for (const { image, delayMs } of this.frames) {
			const indices: Uint8Array = applyPalette(image.data, palette, "rgb565");
			const changed = indices.map((index, i) => (previous?.[i] === index ? transparentIndex : index));
			encoder.writeFrame(changed, width, height, {
				delay: delayMs,
				transparent: previous !== undefined,
				transparentIndex,
				dispose: 1,
				...(previous === undefined && { palette: [...palette, [0, 0, 0]], repeat: 0 }),
			});
			previous = indices;
		}
		encoder.finish();
		return encoder.bytes();
	}
}
