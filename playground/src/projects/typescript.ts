import type { Project } from "./project.js";

export const typescript: Project = {
	name: "shop",
	title: "TypeScript: shop",
	root: "file:///samples/shop",
	hint: "Try it: rename `cnt` to `count` at the cursor, wait for the suggestion, and press Tab.",
	start: { path: "src/cart.ts", after: "let cnt" },
	files: [
		{
			path: "src/cart.ts",
			text: `import { Item, priceOf } from "./item";

export function totalOf(items: Item[]): number {
	let cnt = 0;
	let total = 0;
	for (const item of items) {
		total += priceOf(item);
		cnt += 1;
	}
	if (cnt > 10) total *= 0.95;
	console.log("items:", cnt);
	return total;
}

export function cheapest(items: Item[]): Item | undefined {
	let best: Item | undefined;
	for (const item of items) {
		if (best === undefined || priceOf(item) < priceOf(best)) best = item;
	}
	return best;
}
`,
		},
		{
			path: "src/item.ts",
			text: `export interface Item {
	name: string;
	price: number;
	discount?: number;
}

export function priceOf(item: Item): number {
	return item.price * (1 - (item.discount ?? 0));
}

export function labelOf(item: Item): string {
	return item.name + " (" + priceOf(item).toFixed(2) + ")";
}
`,
		},
		{
			path: "src/receipt.ts",
			text: `import { totalOf } from "./cart";
import { Item, labelOf, priceOf } from "./item";

export function receiptOf(items: Item[]): string[] {
	const lines = items.map((item) => labelOf(item));
	const dearest = items.filter((item) => priceOf(item) > 100);
	if (dearest.length > 0) lines.push("dear: " + dearest.length);
	lines.push("total: " + totalOf(items).toFixed(2));
	return lines;
}
`,
		},
	],
};
