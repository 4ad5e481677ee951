import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { EDIT_HISTORY_MAX, RECENT_FILES_MAX, USER_ACTIONS_MAX } from "@segue/agent/next-edit/request";
import type { NextEditResponse, NextEditSession } from "@segue/agent/next-edit/session";
import { EMBEDDED, type Settings } from "@segue/agent/next-edit/settings";
import type * as acp from "@segue/protocol/acp";
import { Change, positionAt, rangeAt } from "@segue/text";

/**
 * The settings' option ids. ACP has no list options, so languages and file patterns can be set only in the
 * configuration file.
 */
export const OPTIONS = {
	enabled: "nes_enabled",
	eagerness: "nes_eagerness",
	model: "nes_model",
	delayMs: "nes_delay_ms",
	onlyWhenAsked: "nes_only_when_asked",
	snoozeMinutes: "nes_snooze_minutes",
	offInCommentsAndStrings: "nes_off_in_comments_and_strings",
	giveUpAfterIgnored: "nes_give_up_after_ignored",
} as const;

/** The values offered for numeric settings. ACP has no numeric options, only selections. */
const NUMBERS = {
	delayMs: [0, 200, 500, 1000, 2000],
	snoozeMinutes: [0, 5, 15, 60],
	giveUpAfterIgnored: [0, 3, 5, 10],
} as const satisfies Partial<Record<keyof Settings, readonly number[]>>;

type NumberSetting = keyof typeof NUMBERS;

/** Returns the sorted values offered for a setting, including the configured and the current value. */
export function numbersFor(
	setting: NumberSetting,
	{ settings, initial }: Pick<NextEditSession, "settings" | "initial">,
): readonly number[] {
	const numbers = new Set<number>([...NUMBERS[setting], initial[setting], settings[setting]]);
	return [...numbers].toSorted((a, b) => a - b);
}

export function answerToWire(answer: NextEditResponse, encoding: acp.PositionEncoding): acp.SuggestResponse {
	if ("suggestions" in answer) {
		return { suggestions: answer.suggestions.map((offer) => suggestionToWire(offer, encoding)) };
	}
	const { silence: reason, detail } = answer;
	return { suggestions: [], _meta: { segue: { reason, ...(detail !== undefined && { detail }) } } };
}

function suggestionToWire(
	{ id, suggestion, document }: SuggestionOffer,
	encoding: acp.PositionEncoding,
): acp.Suggestion {
	const { uri, text, version } = document;
	const { predictor, why, source } = suggestion;
	const known = { ...(!Number.isNaN(version) && { version }), ...(source && { model: source.model }) };
	const _meta = { segue: { ...known, predictor, why } };
	switch (suggestion.kind) {
		case "edit": {
			const change = Change.of(suggestion.edits, text.length);
			const edits = change.edits.map(({ from, to, insert }) => {
				return { range: rangeAt(text, from, to, encoding), newText: insert };
			});
			const cursorPosition = positionAt(change.apply(text), suggestion.cursor, encoding);
			return { id, kind: "edit", uri, edits, cursorPosition, _meta };
		}
		case "jump":
			return { id, kind: "jump", uri, position: positionAt(text, suggestion.at, encoding), _meta };
		case "rename": {
			const position = positionAt(text, suggestion.at, encoding);
			return { id, kind: "rename", uri, position, newName: suggestion.newName, _meta };
		}
		case "searchAndReplace": {
			const { search, replace, isRegex } = suggestion;
			return { id, kind: "searchAndReplace", uri, search, replace, isRegex, _meta };
		}
	}
}

/** Returns all settings for a session. Clients without boolean options get a choice between on and off. */
export function configOptionsToWire(
	session: Pick<NextEditSession, "settings" | "initial" | "models">,
	knowsBooleans: boolean,
): acp.ConfigOption[] {
	const { settings, models } = session;
	const toggle = (about: { id: string; name: string; description?: string }, isOn: boolean): acp.ConfigOption =>
		knowsBooleans
			? { ...about, type: "boolean", currentValue: isOn }
			: { ...about, type: "select", currentValue: isOn ? "on" : "off", options: [ON, OFF] };
	const numbers = (
		setting: NumberSetting,
		about: { name: string; description: string },
		labelOf: (n: number) => string,
	) => ({
		...{ id: OPTIONS[setting], ...about, type: "select" as const, currentValue: String(settings[setting]) },
		options: numbersFor(setting, session).map((n) => ({ value: String(n), name: labelOf(n) })),
	});
	return [
		toggle({ id: OPTIONS.enabled, name: "Next edit suggestions" }, settings.isEnabled),
		{
			id: OPTIONS.eagerness,
			name: "Eagerness",
			description: "How readily suggestions are shown",
			type: "select",
			currentValue: settings.eagerness,
			options: [
				{ value: "low", name: "Low", description: "Show only likely suggestions" },
				{ value: "medium", name: "Medium" },
				{ value: "high", name: "High", description: "Show more suggestions" },
			],
		},
		{
			id: OPTIONS.model,
			name: "Suggestions from",
			category: "model",
			type: "select",
			currentValue: settings.model,
			options: [
				{
					value: EMBEDDED,
					name: "Built-in engine",
					description: "Segue's own rules, on this machine, without an AI model",
				},
				...models.map(({ name, description }) => ({ value: name, name, description })),
			],
		},
		numbers(
			"delayMs",
			{ name: "Delay before showing", description: "Time after your last change before a suggestion is shown" },
			(ms) => (ms === 0 ? "None" : `${ms} ms`),
		),
		toggle(
			{
				id: OPTIONS.onlyWhenAsked,
				name: "Only when asked",
				description: "Show a suggestion only when you request one",
			},
			settings.onlyWhenAsked,
		),
		numbers("snoozeMinutes", { name: "Snooze", description: "Pause automatic suggestions" }, (minutes) =>
			minutes === 0 ? "Off" : minutes === 1 ? "1 minute" : `${minutes} minutes`,
		),
		toggle(
			{
				id: OPTIONS.offInCommentsAndStrings,
				name: "Pause in comments and strings",
				description: "No automatic suggestions while the cursor is in a comment or a string",
			},
			settings.offInCommentsAndStrings,
		),
		numbers(
			"giveUpAfterIgnored",
			{
				name: "Pause after ignored suggestions",
				description:
					"Pause automatic suggestions after you ignore or dismiss this many in a row. A manual request resumes them.",
			},
			(count) => (count === 0 ? "Never" : count === 1 ? "1 suggestion" : `${count} suggestions`),
		),
	];
}

const ON = { value: "on", name: "On" };
const OFF = { value: "off", name: "Off" };

/**
 * Returns the events and context that clients should send. Rules use documents, edits and diagnostics; models also use
 * the rest.
 */
export function nesCapabilitiesToWire(
	sync: "events" | "context" | "both",
	syncKind: "incremental" | "full",
): acp.NesCapabilities {
	const document = { didOpen: {}, didChange: { syncKind }, didClose: {}, didSave: {}, didFocus: {} };
	const context = { diagnostics: {}, openFiles: {}, userActions: { maxCount: USER_ACTIONS_MAX }, relatedSnippets: {} };
	const everything = {
		...context,
		recentFiles: { maxCount: RECENT_FILES_MAX },
		editHistory: { maxCount: EDIT_HISTORY_MAX },
	};
	return {
		...(sync !== "context" && { events: { document } }),
		context: sync === "events" ? context : everything,
	};
}
