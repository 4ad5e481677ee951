import { Icon } from "../widgets/icon.js";
import { changeSettings, settings } from "./settings.js";

const NEXT = { system: "light", light: "dark", dark: "system" } as const;

/** Cycles through the system's theme, light and dark. */
export function ThemeSwitch() {
	const { theme } = settings.value;
	return (
		<button
			type="button"
			class="quiet"
			aria-label={`Theme: ${theme}`}
			title={`Theme: ${theme}. Click for ${NEXT[theme]}.`}
			onClick={() => changeSettings({ theme: NEXT[theme] })}
		>
			<Icon name={theme} />
		</button>
	);
}
