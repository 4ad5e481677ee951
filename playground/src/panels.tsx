import { signal, useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { loadLazily } from "./lazy-load.js";
import type { Playground } from "./playground.js";
import { Icon, type IconName } from "./widgets/icon.js";
import { arePanelsHidden, togglePanels } from "./widgets/splitter.js";

type PanelName = "Stories" | "Chat" | "Statistics" | "Settings" | "Inspector";

type PanelComponent = FunctionComponent<{ playground: Playground }>;

interface PanelEntry {
	readonly icon: IconName;
	readonly load: () => Promise<PanelComponent>;
}

/** The panels next to the editor. Each is loaded when it is first opened, so that the page starts quickly. */
const PANELS: Readonly<Record<PanelName, PanelEntry>> = {
	Stories: { icon: "stories", load: async () => (await import("./stories/stories-panel.js")).StoriesPanel },
	Chat: { icon: "chat", load: async () => (await import("./chat/chat-panel.js")).ChatPanel },
	Statistics: { icon: "statistics", load: async () => (await import("./figures/figures-panel.js")).FiguresPanel },
	Settings: { icon: "settings", load: async () => (await import("./settings/settings-panel.js")).SettingsPanel },
	Inspector: { icon: "inspector", load: async () => (await import("./inspector/inspector-panel.js")).InspectorPanel },
};

const NAMES = Object.keys(PANELS) as PanelName[];

const chosenPanel = signal<PanelName>("Stories");

/** Shows a panel, also if the panels are hidden. */
export function openPanel(name: PanelName): void {
	chosenPanel.value = name;
	if (arePanelsHidden.value) togglePanels();
}

/** The tabs of the panels, and the open panel. Arrow keys move between the tabs. */
export function Panels({ playground }: { playground: Playground | undefined }) {
	const chosen = chosenPanel.value;
	const choose = (name: PanelName, list: EventTarget) => {
		chosenPanel.value = name;
		if (list instanceof HTMLElement) list.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
	};
	const isAsked = playground !== undefined && playground.chat.questions.value.length > 0;
	return (
		<aside id="panels" aria-label="Panels">
			<div
				class="panel-tabs"
				role="tablist"
				aria-label="Panels"
				onKeyDown={(event) => {
					const next = tabAfter(chosen, event.key);
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
						aria-selected={chosen === name}
						tabIndex={chosen === name ? 0 : -1}
						onClick={() => (chosenPanel.value = name)}
					>
						<Icon name={PANELS[name].icon} />
						{name}
						{name === "Chat" && isAsked && <span class="asks" role="img" aria-label="is waiting for your answer" />}
					</button>
				))}
			</div>
			<p class="unseen" role="status">
				{isAsked && chosen !== "Chat" && "The chat is waiting for your answer."}
			</p>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the panel, so it must take the focus. */}
			<div class="panel" id="panel" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${chosen}`}>
				{playground && <Panel key={chosen} name={chosen} playground={playground} />}
			</div>
		</aside>
	);
}

/** Panels that have already been loaded. They open without a server. */
const LOADED = new Map<PanelName, PanelComponent>();

function Panel({ name, playground }: { name: PanelName; playground: Playground }) {
	const loaded = useSignal(LOADED.get(name));
	const trouble = useSignal("");
	const isConnected = playground.link.status.value === "open";
	// Tries again when the server is back.
	useEffect(() => {
		if (loaded.value !== undefined) return;
		loadLazily(PANELS[name].load).then(
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
