// Two tiers of tests. `npm test` runs each test once and repeats little, in about four minutes. `npm test -- --all` sets
// SEGUE_TESTS=all: it also runs the tests marked with `isAll`, and repeats as often as the tests ask for.

/** Whether every test runs. Mark a slow test whose subject a quicker test covers as well: `test.runIf(isAll)`. */
export const isAll = process.env["SEGUE_TESTS"] === "all";

/** Picks a number, such as a count of rounds, by tier. */
export function inTier<T>(usual: T, all: T): T {
	return isAll ? all : usual;
}

/** Runs of a property in `npm test -- --all`; the numbers passed to `runs` are relative to it. */
const ALL_RUNS = 1000;

/** Enough runs to find a property that is plainly wrong. */
const FEWEST_RUNS = 10;

/** Runs of a property that does not set its own number. `npm run fuzz` sets FUZZ_RUNS. */
export const PROPERTY_RUNS = Number(process.env["FUZZ_RUNS"] ?? inTier(ALL_RUNS / 10, ALL_RUNS));

/** The `numRuns` of a property that is too slow, or fast enough, for another number than the usual 1,000 in `--all`. */
export function runs(all: number): number {
	return Math.max(Math.ceil((all * PROPERTY_RUNS) / ALL_RUNS), Math.min(all, FEWEST_RUNS));
}

/** How long a test waits for what another process does. Only what hangs meets it, however busy the machine is. */
export const WAIT = { timeout: 240_000, interval: 5 };
