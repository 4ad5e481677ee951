import { EDIT_HISTORY_MAX, RECENT_FILES_MAX, USER_ACTIONS_MAX } from "@segue/agent/next-edit/request";
import type { Offer, Session, SuggestAnswer } from "@segue/agent/next-edit/session";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import type {
	ConfigOption,
	NesCapabilities,
	PositionEncoding,
	SuggestResponse,
	Suggestion as WireSuggestion,
} from "@segue/protocol/acp";
import { Change, positionAt, rangeAt } from "@segue/text";

/** The ids of the settings of next edits. */
export const OPTIONS = { enabled: "nes_enabled", eagerness: "nes_eagerness", model: "nes_model" } as const;

export function answerToWire(answer: SuggestAnswer, encoding: PositionEncoding): SuggestResponse {
	if ("suggestions" in answer) {
		return { suggestions: answer.suggestions.map((offer) => suggestionToWire(offer, encoding)) };
	}
	const { silence: reason, detail } = answer;
	return { suggestions: [], _meta: { segue: { reason, ...(detail !== undefined && { detail }) } } };
}

function suggestionToWire({ id, suggestion, document }: Offer, encoding: PositionEncoding): WireSuggestion {
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

/** All settings of a session. Clients that do not know booleans choose between on and off. */
export function configOptionsToWire(
	{ settings, models }: Pick<Session, "settings" | "models">,
	knowsBooleans: boolean,
): ConfigOption[] {
	const { isEnabled, eagerness, model } = settings;
	const enabled = { id: OPTIONS.enabled, name: "Next edit suggestions" };
	return [
		knowsBooleans
			? { ...enabled, type: "boolean", currentValue: isEnabled }
			: { ...enabled, type: "select", currentValue: isEnabled ? "on" : "off", options: [ON, OFF] },
		{
			id: OPTIONS.eagerness,
			name: "Eagerness",
			description: "How sure a suggestion must be before it is shown",
			type: "select",
			currentValue: eagerness,
			options: [
				{ value: "low", name: "Low", description: "Show little, and be right" },
				{ value: "medium", name: "Medium" },
				{ value: "high", name: "High", description: "Show more" },
			],
		},
		{
			id: OPTIONS.model,
			name: "Prediction model",
			category: "model",
			type: "select",
			currentValue: model,
			options: [
				{ value: EMBEDDED, name: "Embedded", description: "No model: rules that run on this machine" },
				...models.map(({ name, description }) => ({ value: name, name, description })),
			],
		},
	];
}

const ON = { value: "on", name: "On" };
const OFF = { value: "off", name: "Off" };

/** What the agent asks a client to send. The rules use documents, edits and diagnostics; models also use the rest. */
export function nesCapabilitiesToWire(
	sync: "events" | "context" | "both",
	syncKind: "incremental" | "full",
): NesCapabilities {
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
