import { EMBEDDED } from "../next-edit/settings.js";
import { BY_DEFAULT, type Layer, originIn, type Setting } from "./layer.js";
import type { ConfigurationFile } from "./shape.js";

type Section = NonNullable<ConfigurationFile["nextEdit"]>;

/** What is configured for next edits. */
export interface NextEdit {
	/** PROVIDER/MODEL, or the embedded engine. */
	readonly model: Setting<string>;
	/** How the model is asked, where somebody has said so. */
	readonly format: Setting<string> | undefined;
	/** Whether a model may be asked ahead, for the text as it is if the user accepts. */
	readonly speculate: Setting<boolean>;
	/** Whether a provider may hear what became of its answers. */
	readonly tellVerdicts: Setting<boolean>;
}

/** What the layers say, unless something nearer to the user chooses the model. */
export function nextEditOf(layers: readonly Layer[], nearer: Setting<string> | undefined): NextEdit {
	const lastOf = <Field extends keyof Section>(field: Field, isMeant: (section: Section) => boolean = () => true) => {
		const layer = layers.findLast(({ value: { nextEdit } }) => nextEdit?.[field] !== undefined && isMeant(nextEdit));
		const value = layer?.value.nextEdit?.[field];
		if (layer === undefined || value === undefined) return undefined;
		return { value, origin: originIn(layer, ["nextEdit", field]) };
	};
	const model = nearer ?? lastOf("model") ?? { value: EMBEDDED, origin: BY_DEFAULT };
	return {
		model,
		// A format that was written down beside one model is not that of another.
		format: lastOf("format", (section) => (section.model ?? model.value) === model.value),
		speculate: lastOf("speculate") ?? OFF,
		tellVerdicts: lastOf("tellVerdicts") ?? OFF,
	};
}

const OFF: Setting<boolean> = { value: false, origin: BY_DEFAULT };
