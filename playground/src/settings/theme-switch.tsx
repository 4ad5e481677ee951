import { changeSettings, settings } from "./settings.js";

const NEXT = { system: "light", light: "dark", dark: "system" } as const;

/** Goes round light, dark, and what the system says. */
export function ThemeSwitch() {
	const { theme } = settings.value;
	return (
		<button type="button" onClick={() => changeSettings({ theme: NEXT[theme] })} title="Light, dark, or as the system">
			Theme: {theme}
		</button>
	);
}
