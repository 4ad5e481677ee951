import { useSignal } from "@preact/signals";
import { type DisplayedSuggestion, noticeSentence } from "@segue/editor";
import { NO_SUGGESTION_TEXTS } from "@segue/predict/no-suggestion";
import type * as acp from "@segue/protocol/acp";
import { useEffect } from "preact/hooks";
import type { Guide } from "../guide/guide.js";
import { openPanel } from "../panels.js";
import type { Playground } from "../playground.js";
import { Icon } from "../widgets/icon.js";
import { InlineMarkdown } from "../widgets/inline-markdown.js";
import { ASK_KEY, MOD } from "../widgets/modifier-key.js";
import { Picker } from "../widgets/picker.js";
import type { Workbench } from "../workbench/workbench.js";
import { isPassing, isQuiet, reasonText } from "./no-suggestion-reason.js";

/**
 * The bottom line of the page: the connection, the suggestion or the reason why there is none, the model, and the
 * snooze.
 */
export function StatusBar({ playground, guide }: { playground: Playground; guide: Guide | undefined }) {
	const shown = playground.shown.value;
	const isTyping = useIsTyping(playground.bench.lastChange.value);
	return (
		<footer class="status-bar">
			<ConnectionStatus playground={playground} />
			<div class="activity" role="status" aria-live="polite">
				{shown === undefined ? (
					<NoSuggestion
						playground={playground}
						isTyping={isTyping}
						isGuided={guide?.needsNoSuggestion.value === true}
					/>
				) : (
					<Suggestion shown={shown} playground={playground} />
				)}
			</div>
			<div class="session">
				<ModelStatus playground={playground} />
				<Snooze playground={playground} />
			</div>
		</footer>
	);
}

const STATUS_WORDS = {
	connecting: "Connecting…",
	open: "Connected",
	lost: "Disconnected",
	refused: "Not connected",
} as const;

function ConnectionStatus({ playground }: { playground: Playground }) {
	const status = playground.link.status.value;
	return (
		<div class={`connection ${status}`}>
			<span role="status">{STATUS_WORDS[status]}</span>
			{status === "lost" && (
				<button type="button" class="quiet" onClick={() => void playground.reconnect()}>
					Try now
				</button>
			)}
		</div>
	);
}

/** The reason for a suggestion, and buttons for its keys, which users tap on a touch screen. */
function Suggestion({ shown, playground }: { shown: DisplayedSuggestion; playground: Playground }) {
	const { editor, bench, storyRunner } = playground;
	const isElsewhere = shown.as === "chip";
	const button = (key: string | undefined, label: string, act: () => void, title?: string) => (
		<button type="button" class="quiet" title={title} onClick={act}>
			{key !== undefined && <kbd>{key}</kbd>} {label}
		</button>
	);
	const part = (how: "word" | "line", arrow: string) => {
		if (!editor?.isDivisible(how)) return null;
		// Unless the suggestion starts at the cursor, these keys move the cursor.
		return button(
			shown.as === "ghost" ? `${MOD} ${arrow}` : undefined,
			`Next ${how}`,
			() => {
				storyRunner.takeOver();
				void editor.accept(how);
				bench.view.focus();
			},
			shown.as === "ghost"
				? undefined
				: `${MOD} ${arrow} moves the cursor, because the suggestion does not start there.`,
		);
	};
	return (
		<>
			<span class="why" data-testid="why" title={shown.why?.replaceAll("`", "")}>
				<InlineMarkdown text={shown.why ?? "Suggestion"} />
			</span>
			<span class="keys">
				{button("Tab", isElsewhere ? "Jump there" : "Accept", () => playground.press("Tab"))}
				{button("Esc", "Dismiss", () => playground.press("Esc"))}
				{part("word", "→")}
				{part("line", "↓")}
			</span>
		</>
	);
}

// Longer than pauses between keys, so that reasons don't appear and disappear while the user types a word.
const TYPING_MS = 500;

/** Whether the user typed a moment ago. */
function useIsTyping(change: Workbench["lastChange"]["value"]): boolean {
	const settled = useSignal(change);
	useEffect(() => {
		const timer = setTimeout(() => (settled.value = change), TYPING_MS);
		return () => clearTimeout(timer);
	}, [change]);
	return change !== settled.value && change?.cause === "typing" && !change.isIndent;
}

/** Why there is no suggestion. Empty while the user types, and for a task of the guide that needs no suggestion. */
function NoSuggestion(props: { playground: Playground; isTyping: boolean; isGuided: boolean }) {
	const { playground, isTyping, isGuided } = props;
	const note = playground.note.value;
	const change = playground.bench.lastChange.value;
	if (note !== undefined && note.kind !== "no-suggestion") {
		return <span class="trouble">{noticeSentence(note, NO_SUGGESTION_TEXTS).replace("Alt+\\", ASK_KEY)}</span>;
	}
	// If Tab indents the code, the user expected a suggestion.
	const isSilent = isTyping || (isGuided && !change?.isIndent);
	if (note === undefined || (isSilent && isPassing(note.text))) {
		return <span class="reason">{change === undefined && "Start typing to get suggestions."}</span>;
	}
	const text = reasonText(note.text, change);
	return (
		<span class="reason" title={text.replaceAll(/\[\[|\]\]/g, "")}>
			<InlineMarkdown text={text} press={(key) => playground.press(key)} />
			{note.detail !== undefined && !isQuiet(note.text) && <span class="detail"> {note.detail}</span>}
		</span>
	);
}

/** The source of suggestions. A click opens the settings, where the user can choose another. */
function ModelStatus({ playground }: { playground: Playground }) {
	const chosen = chosenOf(playground.options.value, "nes_model");
	if (chosen === undefined) return null;
	const isModel = chosen.value !== "embedded";
	return (
		<button
			type="button"
			class="quiet"
			title={`Suggestions come from ${isModel ? chosen.name : "Segue's built-in engine"}. Click to open the settings.`}
			onClick={() => openPanel("Settings")}
		>
			<Icon name="model" />
			<span class="label">{isModel ? `Model: ${chosen.name}` : chosen.name}</span>
		</button>
	);
}

const SNOOZE = "nes_snooze_minutes";

/** Pauses suggestions for a few minutes. */
function Snooze({ playground }: { playground: Playground }) {
	const option = playground.options.value.find(({ id }) => id === SNOOZE);
	const chosen = chosenOf(playground.options.value, SNOOZE);
	const isSnoozed = chosen !== undefined && chosen.value !== "0";
	const reason = playground.note.value?.text;
	// The agent does not report when a snooze ends.
	useEffect(() => {
		if (isSnoozed && reason !== "snoozed") void playground.refreshOptions();
	}, [reason]);
	if (option?.type !== "select" || chosen === undefined) return null;
	return (
		<Picker
			label={isSnoozed ? `Snoozed: ${chosen.name}` : "Snooze"}
			text={isSnoozed ? `Snoozed: ${chosen.name}` : "Snooze"}
			icon="snooze"
			choices={valuesOf(option)
				.filter(({ value }) => isSnoozed || value !== "0")
				.map(({ value, name }) => ({ id: value, title: value === "0" ? "End snooze" : name }))}
			picked={chosen.value}
			pick={(minutes) => {
				void playground.set(SNOOZE, minutes);
				playground.bench.view.focus();
			}}
		/>
	);
}

function chosenOf(options: readonly acp.ConfigOption[], id: string) {
	const option = options.find((each) => each.id === id);
	if (option?.type !== "select") return undefined;
	return valuesOf(option).find(({ value }) => value === option.currentValue);
}

function valuesOf(option: Extract<acp.ConfigOption, { type: "select" }>) {
	return option.options.flatMap((each) => ("value" in each ? [each] : []));
}

/** A problem with a file, and what the user can do about it. */
export function FileNotice({ playground: { bench, files } }: { playground: Playground }) {
	const trouble = files.trouble.value;
	const dismiss = { label: "Dismiss", go: () => (files.trouble.value = undefined) };
	return (
		<div class="file-notice" role="alert" hidden={trouble === undefined}>
			{trouble && (
				<>
					<Icon name="warning" />
					<span>{trouble.text}</span>
					{[...trouble.ways, dismiss].map(({ label, go }) => (
						<button
							key={label}
							type="button"
							onClick={() => {
								go();
								bench.view.focus();
							}}
						>
							{label}
						</button>
					))}
				</>
			)}
		</div>
	);
}
