import type { PackedForest } from "./forest.js";

// Written by `npm run fit`. See features.ts for the meaning of each feature.
export const TREES: PackedForest = { names: [], thresholds: [], nodes: [] };
