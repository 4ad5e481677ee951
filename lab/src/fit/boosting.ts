import { LEAF, type PackedForest, VALUE_SCALE } from "@segue/predict";

// Gradient-boosted decision trees that correct given log-odds, trained on histograms of binned features. Sums are computed
// in a fixed order and random numbers come from a seed, so the same rows give exactly the same trees.

/** Training data. Most values are 0, so only the others are listed. */
export interface BoostingTable {
	/** Number of features. */
	readonly width: number;
	readonly rows: readonly BoostingRow[];
}

export interface BoostingRow {
	/** The features whose value is not 0, and their values. */
	readonly features: ArrayLike<number>;
	readonly values: ArrayLike<number>;
	/** The log-odds to correct. */
	readonly odds: number;
	readonly isRight: boolean;
	readonly weight: number;
}

export interface BoostingOptions {
	readonly trees: number;
	readonly depth: number;
	/** The share of each tree's correction that is applied. */
	readonly rate: number;
	/** L2 penalty on the values of leaves. */
	readonly ridge: number;
	/** Minimum sum of the second derivatives in a leaf. */
	readonly leafMin: number;
	/** The shares of rows and features that a tree is trained on. */
	readonly rowShare: number;
	readonly featureShare: number;
	readonly seed: number;
}

/** A node of a tree. Its value is the correction in log-odds if the tree ended there. */
export type TreeNode = { readonly value: number } & (
	| { readonly feature?: undefined }
	| {
			/** The index of the feature that is compared to the threshold. */
			readonly feature: number;
			readonly threshold: number;
			readonly below: TreeNode;
			readonly from: TreeNode;
	  }
);

const BINS_MAX = 64;

/** Trains trees whose values, added to the odds of a row, predict whether it is right. */
export function boost(table: BoostingTable, options: BoostingOptions): TreeNode[] {
	const binned = bin(table);
	const random = randomFrom(options.seed);
	const count = table.rows.length;
	const weights = Float64Array.from(table.rows, ({ weight }) => weight);
	const labels = Uint8Array.from(table.rows, ({ isRight }) => (isRight ? 1 : 0));
	const odds = Float64Array.from(table.rows, (row) => row.odds);
	const slopes = new Float64Array(count);
	const curvatures = new Float64Array(count);
	const trees: TreeNode[] = [];
	for (let tree = 0; tree < options.trees; tree++) {
		for (let i = 0; i < count; i++) {
			const chance = 1 / (1 + Math.exp(-(odds[i] as number)));
			slopes[i] = (chance - (labels[i] as number)) * (weights[i] as number);
			curvatures[i] = chance * (1 - chance) * (weights[i] as number);
		}
		trees.push(growTree(binned, slopes, curvatures, odds, options, random));
	}
	return trees;
}

interface Binned {
	readonly width: number;
	readonly count: number;
	/** For each feature, the lowest value of every bin but the first. */
	readonly cuts: readonly Float64Array[];
	/** The bin of the value 0, by feature. */
	readonly zeros: Uint8Array;
	/** The bins by feature, then by row. */
	readonly columns: readonly Uint8Array[];
	/** The bins that differ from those of the value 0, by row. */
	readonly starts: Int32Array;
	readonly features: Uint16Array;
	readonly bins: Uint8Array;
}

function bin({ width, rows }: BoostingTable): Binned {
	const values: number[][] = Array.from({ length: width }, () => []);
	for (const row of rows) {
		for (let k = 0; k < row.features.length; k++) values[row.features[k] as number]?.push(row.values[k] as number);
	}
	const cuts = values.map((own) => cutsOf(own, rows.length));
	const zeros = Uint8Array.from(cuts, (own) => binOf(own, 0));
	const columns = cuts.map((_, feature) => new Uint8Array(rows.length).fill(zeros[feature] as number));
	const starts = new Int32Array(rows.length + 1);
	const total = rows.reduce((sum, { features }) => sum + features.length, 0);
	const features = new Uint16Array(total);
	const bins = new Uint8Array(total);
	let at = 0;
	for (const [i, row] of rows.entries()) {
		starts[i] = at;
		for (let k = 0; k < row.features.length; k++) {
			const feature = row.features[k] as number;
			const own = binOf(cuts[feature] as Float64Array, row.values[k] as number);
			if (own === zeros[feature]) continue;
			features[at] = feature;
			bins[at++] = own;
			(columns[feature] as Uint8Array)[i] = own;
		}
	}
	starts[rows.length] = at;
	return { width, count: rows.length, cuts, zeros, columns, starts, features, bins };
}

/** The lowest values of all bins but the first, chosen so that the bins have about the same number of rows. */
function cutsOf(nonzero: number[], count: number): Float64Array {
	const counts = new Map<number, number>();
	for (const value of nonzero) counts.set(value, (counts.get(value) ?? 0) + 1);
	if (nonzero.length < count) counts.set(0, (counts.get(0) ?? 0) + count - nonzero.length);
	const distinct = [...counts.keys()].toSorted((a, b) => a - b);
	if (distinct.length <= BINS_MAX) {
		return Float64Array.from(distinct.slice(1), (value, i) => (value + (distinct[i] as number)) / 2);
	}
	const cuts: number[] = [];
	// The value 0 would fill most bins, so it is not counted.
	const share = nonzero.length / (BINS_MAX - 2);
	let inBin = 0;
	for (const [i, value] of distinct.entries()) {
		const own = value === 0 ? share : (counts.get(value) as number);
		if (i > 0 && inBin > 0 && inBin + own / 2 >= share && cuts.length < BINS_MAX - 1) {
			cuts.push((value + (distinct[i - 1] as number)) / 2);
			inBin = 0;
		}
		inBin += own;
	}
	return Float64Array.from(cuts);
}

/** Counts the cuts that a value reaches. */
function binOf(cuts: Float64Array, value: number): number {
	let [low, high] = [0, cuts.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (value >= (cuts[middle] as number)) low = middle + 1;
		else high = middle;
	}
	return low;
}

interface Grown {
	/** Indices into `order`. */
	readonly from: number;
	readonly to: number;
	readonly slope: number;
	readonly curvature: number;
	readonly slopes: Float64Array;
	readonly curvatures: Float64Array;
	readonly depth: number;
}

function growTree(
	data: Binned,
	slopes: Float64Array,
	curvatures: Float64Array,
	odds: Float64Array,
	options: BoostingOptions,
	random: () => number,
): TreeNode {
	const { width, count, columns, zeros, cuts } = data;
	const { ridge, leafMin, rate, depth: depthMax } = options;
	const isUsed = new Uint8Array(width);
	const used: number[] = [];
	for (let feature = 0; feature < width; feature++) {
		if (random() < options.featureShare && (cuts[feature] as Float64Array).length > 0) {
			isUsed[feature] = 1;
			used.push(feature);
		}
	}
	const chosen: number[] = [];
	for (let i = 0; i < count; i++) if (random() < options.rowShare) chosen.push(i);
	const order = Int32Array.from(chosen);
	const scratch = new Int32Array(order.length);

	const histogramOf = (from: number, to: number): [Float64Array, Float64Array] => {
		const s = new Float64Array(width * BINS_MAX);
		const c = new Float64Array(width * BINS_MAX);
		const { starts, features, bins } = data;
		for (let k = from; k < to; k++) {
			const row = order[k] as number;
			const slope = slopes[row] as number;
			const curvature = curvatures[row] as number;
			const end = starts[row + 1] as number;
			for (let at = starts[row] as number; at < end; at++) {
				const feature = features[at] as number;
				if (isUsed[feature] === 0) continue;
				const cell = feature * BINS_MAX + (bins[at] as number);
				s[cell] = (s[cell] as number) + slope;
				c[cell] = (c[cell] as number) + curvature;
			}
		}
		return [s, c];
	};
	const nodeOf = (from: number, to: number, depth: number, [s, c]: [Float64Array, Float64Array]): Grown => {
		let [slope, curvature] = [0, 0];
		for (let k = from; k < to; k++) {
			slope += slopes[order[k] as number] as number;
			curvature += curvatures[order[k] as number] as number;
		}
		return { from, to, slope, curvature, slopes: s, curvatures: c, depth };
	};
	const valueOfNode = (slope: number, curvature: number) => (-slope / (curvature + ridge)) * rate;
	const gainOf = (slope: number, curvature: number) => slope ** 2 / (curvature + ridge);

	const grow = (node: Grown): TreeNode => {
		const value = valueOfNode(node.slope, node.curvature);
		if (node.depth >= depthMax || node.curvature < 2 * leafMin) return { value };
		let best = 1e-6;
		let bestFeature = -1;
		let bestBin = 0;
		const whole = gainOf(node.slope, node.curvature);
		for (const feature of used) {
			const own = (cuts[feature] as Float64Array).length + 1;
			const base = feature * BINS_MAX;
			const zero = zeros[feature] as number;
			// The histogram has only the bins that differ from that of 0, so that bin gets the rest.
			let [slopeRest, curvatureRest] = [node.slope, node.curvature];
			for (let i = 0; i < own; i++) {
				if (i === zero) continue;
				slopeRest -= node.slopes[base + i] as number;
				curvatureRest -= node.curvatures[base + i] as number;
			}
			let [slope, curvature] = [0, 0];
			for (let i = 0; i < own - 1; i++) {
				slope += i === zero ? slopeRest : (node.slopes[base + i] as number);
				curvature += i === zero ? curvatureRest : (node.curvatures[base + i] as number);
				if (curvature < leafMin) continue;
				const other = node.curvature - curvature;
				if (other < leafMin) break;
				const gain = gainOf(slope, curvature) + gainOf(node.slope - slope, other) - whole;
				if (gain > best) [best, bestFeature, bestBin] = [gain, feature, i];
			}
		}
		if (bestFeature === -1) return { value };
		const column = columns[bestFeature] as Uint8Array;
		let [below, above] = [node.from, 0];
		for (let k = node.from; k < node.to; k++) {
			const row = order[k] as number;
			if ((column[row] as number) <= bestBin) order[below++] = row;
			else scratch[above++] = row;
		}
		order.set(scratch.subarray(0, above), below);
		const isLast = node.depth + 1 >= depthMax;
		const empty = new Float64Array(0);
		let parts: [[Float64Array, Float64Array], [Float64Array, Float64Array]];
		if (isLast)
			parts = [
				[empty, empty],
				[empty, empty],
			];
		else {
			const isBelowSmaller = below - node.from < above;
			const small = isBelowSmaller ? histogramOf(node.from, below) : histogramOf(below, node.to);
			for (let i = 0; i < small[0].length; i++) {
				node.slopes[i] = (node.slopes[i] as number) - (small[0][i] as number);
				node.curvatures[i] = (node.curvatures[i] as number) - (small[1][i] as number);
			}
			const large: [Float64Array, Float64Array] = [node.slopes, node.curvatures];
			parts = isBelowSmaller ? [small, large] : [large, small];
		}
		return {
			value,
			feature: bestFeature,
			threshold: (cuts[bestFeature] as Float64Array)[bestBin] as number,
			below: grow(nodeOf(node.from, below, node.depth + 1, parts[0])),
			from: grow(nodeOf(below, node.to, node.depth + 1, parts[1])),
		};
	};
	const root = grow(nodeOf(0, order.length, 0, histogramOf(0, order.length)));
	const binOfThreshold = (feature: number, threshold: number) => binOf(cuts[feature] as Float64Array, threshold) - 1;
	for (let i = 0; i < count; i++) {
		let node: TreeNode = root;
		while (node.feature !== undefined) {
			const column = columns[node.feature] as Uint8Array;
			node = (column[i] as number) <= binOfThreshold(node.feature, node.threshold) ? node.below : node.from;
		}
		odds[i] = (odds[i] as number) + node.value;
	}
	return root;
}

/** Returns the sum of the values of the leaves that a row reaches. */
export function correctionOf(
	trees: readonly TreeNode[],
	{ features, values }: Pick<BoostingRow, "features" | "values">,
): number {
	const byFeature = new Map<number, number>();
	for (let i = 0; i < features.length; i++) byFeature.set(features[i] as number, values[i] as number);
	let sum = 0;
	for (const tree of trees) {
		let node = tree;
		while (node.feature !== undefined)
			node = (byFeature.get(node.feature) ?? 0) >= node.threshold ? node.from : node.below;
		sum += node.value;
	}
	return sum;
}

/** Packs trees over named features, with the thresholds of each feature in a table. */
export function packForest(names: readonly string[], trees: readonly TreeNode[]): PackedForest {
	const nodes = trees.flatMap(nodesOf);
	const thresholds = names.map((_, feature) => {
		const own = nodes.flatMap((node) => (node.feature === feature ? [node.threshold] : []));
		return [...new Set(own)].toSorted((a, b) => a - b);
	});
	const packed = nodes.flatMap((node) => {
		const value = Math.round(node.value * VALUE_SCALE);
		if (node.feature === undefined) return [LEAF, value];
		return [node.feature, thresholds[node.feature]?.indexOf(node.threshold) ?? 0, value];
	});
	return { names, thresholds, nodes: packed };
}

/** The nodes of a tree in preorder. */
function nodesOf(node: TreeNode): TreeNode[] {
	return node.feature === undefined ? [node] : [node, ...nodesOf(node.below), ...nodesOf(node.from)];
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}
