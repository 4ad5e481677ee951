import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { loadLazily } from "./lazy-load.js";
import type { Playground } from "./playground.js";

type PanelName = "Stories" | "Inspector" | "Figures" | "Chat" | "Settings";

type PanelOf = FunctionComponent<{ playground: Playground }>;

/** What can stand beside the editor. Each is loaded when it is looked at first, so that the page starts fast. */
const PANELS: Readonly<Record<PanelName, () => Promise<PanelOf>>> = {
	Stories: async () => (await import("./stories/stories-panel.js")).StoriesPanel,
	Inspector: async () => (await import("./inspector/inspector-panel.js")).InspectorPanel,
	Figures: async () => (await import("./figures/figures-panel.js")).FiguresPanel,
	Chat: async () => (await import("./chat/chat-panel.js")).ChatPanel,
	Settings: async () => (await import("./settings/settings-panel.js")).SettingsPanel,
};

const NAMES = Object.keys(PANELS) as PanelName[];

/** The panels' tabs, and the one that was chosen. Arrows go from tab to tab, as everywhere where there are tabs. */
export function Panels({ playground }: { playground: Playground | undefined }) {
	const chosen = useSignal<PanelName>("Stories");
	const choose = (name: PanelName, list: EventTarget) => {
		chosen.value = name;
		if (list instanceof HTMLElement) list.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
	};
	const isAsked = playground !== undefined && playground.chat.questions.value.length > 0;
	return (
		<aside aria-label="Panels">
			<div
				class="panel-tabs"
				role="tablist"
				aria-label="Panels"
				onKeyDown={(event) => {
					const next = tabAfter(chosen.value, event.key);
					if (next === undefined) return;
					event.preventDefault();
					choose(next, event.currentTarget);
				}}
			>
				{NAMES.map((name) => (
					<button
						key={name}
						type="button"
						role="tab"
						id={`tab-${name}`}
						aria-controls="panel"
						aria-selected={chosen.value === name}
						tabIndex={chosen.value === name ? 0 : -1}
						onClick={() => (chosen.value = name)}
					>
						{name}
						{name === "Chat" && isAsked && <span class="asks" role="img" aria-label="asks you something" />}
					</button>
				))}
			</div>
			<p class="unseen" role="status">
				{isAsked && chosen.value !== "Chat" && "The chat asks you something."}
			</p>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard, to be scrolled. */}
			<div class="panel" id="panel" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${chosen.value}`}>
				{playground && <Panel key={chosen.value} name={chosen.value} playground={playground} />}
			</div>
		</aside>
	);
}

/** What was loaded once is there without a server. */
const LOADED = new Map<PanelName, PanelOf>();

function Panel({ name, playground }: { name: PanelName; playground: Playground }) {
	const loaded = useSignal(LOADED.get(name));
	const trouble = useSignal("");
	const isConnected = playground.link.status.value === "open";
	// A server that comes back is asked again.
	useEffect(() => {
		if (loaded.value !== undefined) return;
		loadLazily(PANELS[name]).then(
			(Loaded) => {
				LOADED.set(name, Loaded);
				loaded.value = Loaded;
			},
			(error: Error) => (trouble.value = error.message),
		);
	}, [isConnected]);
	const Loaded = loaded.value;
	if (Loaded !== undefined) return <Loaded playground={playground} />;
	return trouble.value === "" ? null : <p class="trouble">{trouble.value}</p>;
}

function tabAfter(name: PanelName, key: string): PanelName | undefined {
	const at = NAMES.indexOf(name);
	switch (key) {
		case "ArrowRight":
			return NAMES[(at + 1) % NAMES.length];
		case "ArrowLeft":
			return NAMES.at(at - 1);
		case "Home":
			return NAMES[0];
		case "End":
			return NAMES.at(-1);
		default:
			return undefined;
	}
}
