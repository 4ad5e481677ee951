// Two tiers of tests. `npm test` takes about four minutes and runs few iterations of each property. `npm test -- --all`
// sets SEGUE_TESTS=all, which adds the tests marked with `isAll` and runs all iterations.

/** Whether all tests run. Use `test.runIf(isAll)` for a slow test if a faster test covers the same code. */
export const isAll = process.env["SEGUE_TESTS"] === "all";

/** Picks a value by tier, for example a number of rounds. */
export function inTier<T>(usual: T, all: T): T {
	return isAll ? all : usual;
}

/** Number of runs of a property in `npm test -- --all`. The numbers passed to `runs` are relative to it. */
const ALL_RUNS = 1000;

/** Enough runs to find an obviously wrong property. */
const FEWEST_RUNS = 10;

/** Default number of runs of a property. `npm run fuzz` sets FUZZ_RUNS. */
export const PROPERTY_RUNS = Number(process.env["FUZZ_RUNS"] ?? inTier(ALL_RUNS / 10, ALL_RUNS));

/**
 * Scales the number of runs that a property needs in `--all`, for properties that need more or fewer than the default
 * of 1,000.
 */
export function runs(all: number): number {
	return Math.max(Math.ceil((all * PROPERTY_RUNS) / ALL_RUNS), Math.min(all, FEWEST_RUNS));
}

/** Timeout for waiting on another process. Long enough that only a hang reaches it, even on a busy machine. */
export const WAIT = { timeout: 240_000, interval: 5 };
