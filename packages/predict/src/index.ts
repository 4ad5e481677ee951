export type { Candidate, Features, Finding, ModelEdits, ModelHunk } from "./candidate.js";
export {
	type Completion,
	type CompletionCandidate,
	complete,
	completionsOf,
	type NoCompletionReason,
} from "./completion/complete.js";
export { completionInputsOf } from "./completion/completion-score.js";
export { type Example, examplesOf } from "./example.js";
export { controlTokensIn, endTokensIn } from "./gate/control-tokens.js";
export { judge, type Objection } from "./gate/gate.js";
export { type EditedFile, History, type Touch } from "./history.js";
export { isCode } from "./languages/languages.js";
export {
	DECLARATION_KINDS,
	DECLARATION_SIZE,
	type DeclarationKind,
	type DeclaredSymbol,
	NAME_ROLES,
	type NameRole,
	Outline,
	type OutlineData,
	SCOPE_KINDS,
	type ScopeKind,
} from "./languages/outline.js";
export { type Part, partAt } from "./languages/parts.js";
export { readabilityOf } from "./languages/reading.js";
export { type DismissalReason, Memory } from "./memory.js";
export { holdsSpecialToken } from "./model-candidates.js";
export {
	type CandidateSet,
	type ConsideredCandidate,
	candidatesOf,
	type ModelWithoutEdit,
	type NoModelEditReason,
	type NoSuggestionReason,
	type Prediction,
	type PredictionObserver,
	predict,
	predictWith,
	readable,
} from "./predict.js";
export { ForestScorer, LEAF, type PackedForest, VALUE_SCALE } from "./ranking/forest.js";
export { type Contribution, contributionsOf, inputsOf, isByHand } from "./ranking/score.js";
export {
	type Action,
	type Diagnostic,
	documentOf,
	type Eagerness,
	type Excerpt,
	type Folder,
	type NodesAround,
	type Parse,
	type ProposalKind,
	type Scene,
	type SyntaxErrors,
	sceneOf,
	type Trigger,
	type View,
	type Workspace,
} from "./scene.js";
export { WordIndex, type WordIndexSnapshot } from "./search/word-index.js";
export type { WordQuery } from "./search/words.js";
export type { Predictor, Proposal, Suggestion, SuggestionSource } from "./suggestion.js";
export { type Definition, definitionsAround, isNearby } from "./symbols/definition.js";
export { type DocumentEdits, wholeRename } from "./whole-rename.js";
