export type { Candidate, Features, Finding, Predictor, Proposal } from "./candidate.js";
export { type Example, examplesOf } from "./example.js";
export { judge, type Objection } from "./gate.js";
export { type File, History, type Touch } from "./history.js";
export { Memory, type Reason } from "./memory.js";
export { candidatesOf, type Prediction, type Proposed, predict, type Silence, type Suggestion } from "./predict.js";
export type { Action, Diagnostic, Eagerness, Excerpt, Kind, Scene, Trigger, View, Workspace } from "./scene.js";
export { inputsOf } from "./score.js";
