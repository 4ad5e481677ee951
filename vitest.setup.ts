import { configureGlobal } from "fast-check";

// A plain run is reproducible. `npm run fuzz` sets more runs, and then each one starts from another seed, unless FUZZ_SEED
// names one.
const runs = process.env["FUZZ_RUNS"];
const seed = process.env["FUZZ_SEED"] === undefined ? {} : { seed: Number(process.env["FUZZ_SEED"]) };
configureGlobal(runs === undefined ? { numRuns: 1000, seed: 20_190_620, ...seed } : { numRuns: Number(runs), ...seed });
