declare module "gifenc" {
	type Palette = number[][];
	interface FrameOptions {
		readonly palette?: Palette;
		readonly delay?: number;
		readonly repeat?: number;
		readonly transparent?: boolean;
		readonly transparentIndex?: number;
		readonly dispose?: number;
	}
	interface Encoder {
		writeFrame(indices: Uint8Array, width: number, height: number, options: FrameOptions): void;
		finish(): void;
		bytes(): Uint8Array;
	}
	const gifenc: {
		GIFEncoder(): Encoder;
		quantize(rgba: Uint8Array, coloursMax: number, options?: { readonly format?: string }): Palette;
		applyPalette(rgba: Uint8Array, palette: Palette, format?: string): Uint8Array;
	};
	// biome-ignore lint/style/noDefaultExport: The package is CommonJS, so Node has only a default export for it.
	export default gifenc;
}
