import type { PooledFeatures } from "../candidate.js";

// Boosted decision trees that correct the odds of likely candidates.

/** Takes the place of the index of a feature. */
export const LEAF = -1;
/** The precision of values. */
export const VALUE_SCALE = 1000;

/** Trees that compare features to thresholds, packed for distribution. */
export interface PackedForest {
	readonly names: readonly string[];
	/** The thresholds of each feature, in the order of the names. */
	readonly thresholds: readonly (readonly number[])[];
	/**
	 * The nodes of all trees. A leaf is -1 and its value. A branch is the index of its feature, the index of the threshold
	 * and its value, followed by its lower and its upper part. Values are in thousandths.
	 */
	readonly nodes: readonly number[];
}

/** Evaluates the trees of a packed forest. */
export class ForestScorer {
	private readonly indices: ReadonlyMap<string, number>;
	/** By node: the index of its feature, or `LEAF`. */
	private readonly features: number[] = [];
	private readonly thresholds: number[] = [];
	private readonly values: number[] = [];
	/** By node: where its upper part starts. The lower one is the next node. */
	private readonly uppers: number[] = [];
	private readonly roots: number[] = [];
	/** The values of a candidate's features, by index. Filled in for one candidate at a time. */
	private readonly inputs: Float64Array;

	constructor({ names, thresholds, nodes }: PackedForest) {
		this.indices = new Map(names.map((name, i) => [name, i]));
		this.inputs = new Float64Array(names.length);
		let at = 0;
		const read = () => nodes[at++] as number;
		const readNode = () => {
			const node = this.features.length;
			const feature = read();
			const threshold = feature === LEAF ? 0 : (thresholds[feature]?.[read()] as number);
			this.features.push(feature);
			this.thresholds.push(threshold);
			this.values.push(read() / VALUE_SCALE);
			this.uppers.push(node);
			if (feature === LEAF) return;
			readNode();
			this.uppers[node] = this.features.length;
			readNode();
		};
		while (at < nodes.length) {
			this.roots.push(this.features.length);
			readNode();
		}
	}

	/** The correction of a candidate with these features, in log-odds. */
	oddsOf(candidate: PooledFeatures): number {
		const { features, thresholds, uppers, values, inputs } = this;
		this.fill(candidate);
		let odds = 0;
		for (const root of this.roots) {
			let node = root;
			let feature = features[node] as number;
			while (feature !== LEAF) {
				const isUpper = (inputs[feature] as number) >= (thresholds[node] as number);
				node = isUpper ? (uppers[node] as number) : node + 1;
				feature = features[node] as number;
			}
			odds += values[node] as number;
		}
		return odds;
	}

	/**
	 * The parts of a candidate's correction, by feature: at each branch, the difference between the node's value and that
	 * of the next one counts for the feature of the branch. The values of the roots count for the name "".
	 */
	contributionsOf(candidate: PooledFeatures): ReadonlyMap<string, number> {
		const { features, thresholds, uppers, values, inputs } = this;
		this.fill(candidate);
		const names = [...this.indices.keys()];
		const parts = new Map<string, number>();
		const add = (name: string, odds: number) => parts.set(name, (parts.get(name) ?? 0) + odds);
		for (const root of this.roots) {
			let node = root;
			add("", values[node] as number);
			while (features[node] !== LEAF) {
				const feature = features[node] as number;
				const isUpper = (inputs[feature] as number) >= (thresholds[node] as number);
				const next = isUpper ? (uppers[node] as number) : node + 1;
				add(names[feature] ?? "", (values[next] as number) - (values[node] as number));
				node = next;
			}
		}
		return parts;
	}

	private fill(candidate: PooledFeatures): void {
		this.inputs.fill(0);
		for (const [name, value] of candidate) {
			const index = this.indices.get(name);
			if (index !== undefined) this.inputs[index] = value;
		}
	}
}
