declare module "*.md" {
	const text: string;
	// biome-ignore lint/style/noDefaultExport: this is how esbuild gives a file's text
	export default text;
}
