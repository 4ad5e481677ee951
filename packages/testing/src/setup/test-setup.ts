import { configureGlobal } from "fast-check";
import { afterAll, vi } from "vitest";
import { PROPERTY_RUNS } from "./tier.js";

// A plain run is reproducible. `npm run fuzz` sets FUZZ_RUNS, and then each run starts from another seed, unless FUZZ_SEED
// names one.
const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const seed = FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) };
configureGlobal({ numRuns: PROPERTY_RUNS, ...(FUZZ_RUNS === undefined ? { seed: 20_190_620 } : {}), ...seed });

// The next test file may run in this process.
afterAll(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
});
