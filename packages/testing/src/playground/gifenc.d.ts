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
	export function GIFEncoder(): Encoder;
	export function quantize(rgba: Uint8Array, coloursMax: number, options?: { readonly format?: string }): Palette;
	export function applyPalette(rgba: Uint8Array, palette: Palette, format?: string): Uint8Array;
}
