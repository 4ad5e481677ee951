import { configureGlobal } from "fast-check";
import { afterAll, vi } from "vitest";
import { PROPERTY_RUNS } from "./tier.js";

// Test runs use a fixed seed. `npm run fuzz` sets FUZZ_RUNS, which gives each run a new seed unless FUZZ_SEED is set.
const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const seed = FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) };
configureGlobal({ numRuns: PROPERTY_RUNS, ...(FUZZ_RUNS === undefined ? { seed: 20_190_620 } : {}), ...seed });

// The next test file may run in this process.
afterAll(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
});
