/** The name under which a person chooses the engine that needs no model. */
export const EMBEDDED = "embedded";

/** What the user may set for a session of next edits. */
export interface Settings {
	readonly isEnabled: boolean;
	readonly eagerness: "low" | "medium" | "high";
	/** The embedded engine, or one of the models that are listed. */
	readonly model: string;
}

export const DEFAULT_SETTINGS: Settings = { isEnabled: true, eagerness: "medium", model: EMBEDDED };
