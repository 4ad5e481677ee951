export type { Candidate, Features, Finding, Predictor, Proposal } from "./candidate.js";
export {
	type Completion,
	type CompletionCandidate,
	type CompletionSilence,
	complete,
	completionsOf,
} from "./complete.js";
export { completionInputsOf } from "./completion-score.js";
export { Concordance, type Edition } from "./concordance.js";
export { controlTokensIn, endTokensIn } from "./control-tokens.js";
export { type Definition, definitionsAround, isNearby } from "./definition.js";
export { type DocumentEdits, wholeRename } from "./everywhere.js";
export { type Example, examplesOf } from "./example.js";
export { judge, type Objection } from "./gate.js";
export { type File, History, type Touch } from "./history.js";
export { isCode } from "./languages.js";
export { Memory, type Reason } from "./memory.js";
export {
	DECLARATION_SIZE,
	DECLARED_KINDS,
	type Declared,
	type DeclaredKind,
	NAME_ROLES,
	type NameRole,
	Outline,
	type OutlineData,
	SCOPE_KINDS,
	type ScopeKind,
} from "./outline.js";
export { type Part, partAt } from "./parts.js";
export {
	type Considered,
	candidatesOf,
	type ModelSilence,
	type Prediction,
	type Proposed,
	predict,
	predictWith,
	readable,
	type Silence,
	type SilentModel,
	type Source,
	type Suggestion,
	type Watch,
} from "./predict.js";
export {
	type Action,
	type Diagnostic,
	documentOf,
	type Eagerness,
	type Excerpt,
	type Folder,
	type Kind,
	type NodesAround,
	type Parse,
	type Scene,
	type SyntaxErrors,
	sceneOf,
	type Trigger,
	type View,
	type Workspace,
} from "./scene.js";
export { type Contribution, contributionsOf, inputsOf } from "./score.js";
export { understandingOf } from "./understanding.js";
export type { Wanted } from "./words.js";
export { type Hunk, holdsSpecialToken, type Written } from "./written.js";
