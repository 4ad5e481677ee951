import { configureGlobal } from "fast-check";

// A plain run is reproducible. `npm run fuzz` sets more runs, and then each one starts from another seed.
const runs = process.env["FUZZ_RUNS"];
configureGlobal(runs === undefined ? { numRuns: 1000, seed: 20_190_620 } : { numRuns: Number(runs) });
