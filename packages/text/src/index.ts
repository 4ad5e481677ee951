export { eachUnlessCancelled, unlessCancelled, whenAborted } from "./abort.js";
export { Change, type Edit, type Side } from "./change.js";
export { type Clock, type StartTimer, SYSTEM_CLOCK, startBackgroundTimer, startTimer } from "./clock.js";
export { diffItems, diffLines, diffTokens, type Replaced } from "./diff.js";
export { type Event, insertsLines, printEvent, recordChange, refine, type Step, writtenBy } from "./event.js";
export { Glob, GlobError, StepBudget } from "./glob.js";
export { firstInvisible, hasInvisible, showInvisible, showInvisibleIn } from "./invisible.js";
export { languageOf } from "./language.js";
export {
	type Encoding,
	offsetOf,
	offsetsOf,
	type Position,
	positionAt,
	type Range,
	rangeAt,
	splitsCharacter,
} from "./position.js";
export { foldName, IgnoreFile } from "./privacy/ignore-file.js";
export { addsMask, isKeyFile, isKeyText, keySpansIn, maskKeys, maskKeysIn } from "./privacy/key-material.js";
export { isSecretUri } from "./privacy/secret-files.js";
export { type Rebased, rebase, trim } from "./rebase.js";
export {
	codeBlock,
	errorText,
	MASK,
	maskSecrets,
	sanitize,
	sanitizeLine,
	sanitizeName,
	shellQuoted,
	UNSEEN,
} from "./sanitize.js";
export { Summary } from "./summary.js";
export { type ContentChange, contentChangesOf, readContentChanges, type SyncKind } from "./sync.js";
export type { Document } from "./text.js";
export { Text } from "./text.js";
export {
	applyUnified,
	type Hunk,
	type Patch,
	PatchError,
	type PatchLine,
	parseUnified,
	printUnified,
} from "./unified.js";
export { fileNameOf, isVirtualUri, sameUri, schemeOf, uriKey, withoutCredentials } from "./uri.js";
export { isMisleading, namesBelow, Path } from "./uri-path.js";
