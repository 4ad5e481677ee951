/**
 * Runs each contender once per round. Each round starts with a different contender, so that other load on the machine
 * and side effects of one contender affect all of them equally.
 */
export async function interleave<Name extends string, Sample>(
	contenders: Readonly<Record<Name, () => Sample | Promise<Sample>>>,
	rounds: number,
	beforeRound: (round: number) => void,
): Promise<Record<Name, Sample[]>> {
	const names = Object.keys(contenders) as Name[];
	const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>;
	for (let round = 0; round < rounds; round++) {
		beforeRound(round);
		for (let turn = 0; turn < names.length; turn++) {
			const name = names[(round + turn) % names.length] as Name;
			samples[name].push(await contenders[name]());
		}
	}
	return samples;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length >> 1;
	const high = sorted[middle];
	if (high === undefined) throw new RangeError("nothing was measured");
	return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] as number) + high) / 2;
}

export function percentile(values: readonly number[], percent: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	const value = sorted[Math.ceil((percent / 100) * sorted.length) - 1];
	if (value === undefined) throw new RangeError("nothing was measured");
	return value;
}
