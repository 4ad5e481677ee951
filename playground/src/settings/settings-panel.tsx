import type * as acp from "@segue/protocol/acp";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Playground } from "../playground.js";
import { quietOptions } from "../suggestions/no-suggestion-reason.js";
import { CopyButton, SegueCommand } from "../widgets/command.js";
import { Options, sentence } from "../widgets/options.js";
import { Switch } from "../widgets/switch.js";
import {
	CHOICES,
	type ChoiceSetting,
	changeSettings,
	OPTIONAL_KINDS,
	type PageSettings,
	settings,
} from "./settings.js";

/** The user's settings, followed by the protocol settings. Changes take effect immediately; some reconnect. */
export function SettingsPanel({ playground }: { playground: Playground }) {
	const now = settings.value;
	const { chat } = playground;
	const connection = playground.link.connection.value;
	useEffect(() => {
		if (connection !== undefined && now.agent === "server") void chat.begin();
	}, [connection]);
	useEffect(() => void playground.refreshOptions(), []);
	return (
		<form class="settings" onSubmit={(event) => event.preventDefault()}>
			<section>
				<h2>Suggestions</h2>
				<Toggle
					label="Show suggestions"
					isOn={now.enabled}
					change={(enabled) => changeSettings({ enabled })}
					remark="Suggest the next edit while you type."
				/>
				<Chooser
					name="eagerness"
					label="Eagerness"
					remark="High shows more suggestions. Low shows only those that are very likely."
				/>
				<Models playground={playground} />
				<Languages off={now.languagesOff} />
			</section>
			<Quiet playground={playground} />
			<section>
				<h2>Appearance</h2>
				<Chooser name="theme" label="Theme" />
			</section>
			{now.agent === "server" && chat.options.value.length > 0 && (
				<section>
					<h2>Chat</h2>
					<Options isDescribed options={chat.options.value} choose={(id, value) => chat.choose(id, value)} />
				</section>
			)}
			<Advanced />
		</form>
	);
}

/** Settings for authors of plugins and agents. */
function Advanced() {
	const { kinds } = settings.value;
	return (
		<details class="advanced">
			<summary>
				<h2>Advanced</h2>
			</summary>
			<p class="remark">
				For developers of plugins and agents: how this page connects to the agent. Each change opens a new connection;
				the Inspector shows its messages.
			</p>
			<fieldset>
				<legend>Suggestion kinds</legend>
				<label title="Edits are always on. The protocol cannot turn them off.">
					<input type="checkbox" checked disabled />
					Edits
				</label>
				{OPTIONAL_KINDS.map((kind) => (
					<label key={kind}>
						<input
							type="checkbox"
							checked={kinds[kind]}
							onChange={() => changeSettings({ kinds: { ...kinds, [kind]: !kinds[kind] } })}
						/>
						{KIND_NAMES[kind]}
					</label>
				))}
			</fieldset>
			<p class="remark">
				Edits include renames, one place after another. Rename all at once, and search and replace, are single
				suggestions with a preview.
			</p>
			<Chooser name="agent" label="Agent" remark="An agent in this page works offline, without chat or models." />
			<Chooser
				name="encoding"
				label="Position encoding"
				remark="How messages count the characters of a line. Suggestions are the same."
			/>
			<Chooser
				name="sync"
				label="Document sync"
				remark="How the agent gets your text: in an event after each change, or with each request for a suggestion."
			/>
			<Chooser
				name="changes"
				label="Change format"
				remark="Such an event contains only the changed part, or the whole text."
			/>
		</details>
	);
}

/** The agent's options for reducing the number of suggestions. */
function Quiet({ playground }: { playground: Playground }) {
	const options = quietOptions(playground.options.value);
	const file = playground.installation.value.configurationFile;
	if (options.length === 0) return null;
	const configuration = configurationOf(options);
	return (
		<section>
			<h2>Fewer suggestions</h2>
			<Options isDescribed options={options} choose={(id, value) => playground.set(id, value)} />
			<p class="remark">
				These last until the page reconnects. To keep them, also for other editors, put this into{" "}
				{file === undefined ? "Segue's configuration file" : <code>{file}</code>}. If <code>nextEdit</code> is already
				there, add only the lines in it.
			</p>
			<div class="snippet">
				<pre>{configuration}</pre>
				<CopyButton label="Copy settings" text={configuration} />
			</div>
		</section>
	);
}

/** Returns what to write into the configuration file to keep the values of options, except a snooze, which ends soon. */
export function configurationOf(options: readonly acp.ConfigOption[]): string {
	const entries = options
		.filter(({ id }) => id !== "nes_snooze_minutes")
		.map(({ id, currentValue }) => {
			const key = id.replace(/^nes_/, "").replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
			const isSwitch = currentValue === "on" || currentValue === "off";
			return [key, isSwitch ? currentValue === "on" : Number(currentValue)];
		});
	return JSON.stringify({ nextEdit: Object.fromEntries(entries) }, undefined, 2);
}

/**
 * The source of suggestions: the built-in engine, or a model if any is configured. If a model cannot be used, the status
 * bar shows the reason when there is no suggestion.
 */
function Models({ playground }: { playground: Playground }) {
	const option = playground.options.value.find(({ id }) => id === "nes_model");
	if (option?.type !== "select") return null;
	const models = option.options.flatMap((each) => ("value" in each ? [each] : []));
	const { description } = models.find(({ value }) => value === option.currentValue) ?? {};
	if (models.length < 2) {
		return (
			<div class="setting">
				<p class="fact">
					<span>{option.name}</span>
					<span>{models[0]?.name}</span>
				</p>
				<p class="remark">{description}. To see how to use a model, run this command in a terminal:</p>
				<SegueCommand playground={playground} args="models" />
			</div>
		);
	}
	return (
		<Row label={option.name} remark={description == null ? undefined : sentence(description)}>
			<select
				name="model"
				value={option.currentValue}
				onChange={({ currentTarget }) => void playground.set(option.id, currentTarget.value)}
			>
				{models.map(({ value, name }) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
		</Row>
	);
}

/** Maps language names to language ids. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
	TypeScript: ["typescript", "typescriptreact"],
	JavaScript: ["javascript", "javascriptreact"],
	Python: ["python"],
	Rust: ["rust"],
	Go: ["go"],
	Java: ["java"],
	"C and C++": ["c", "cpp"],
	"C#": ["csharp"],
	Ruby: ["ruby"],
	PHP: ["php"],
	"HTML and CSS": ["html", "css"],
	"JSON and Markdown": ["json", "markdown"],
	"Other files": ["plaintext"],
};

function Languages({ off }: { off: readonly string[] }) {
	const isOn = (ids: readonly string[]) => !ids.some((id) => off.includes(id));
	const namesOff = Object.keys(LANGUAGES).filter((name) => !isOn(LANGUAGES[name] ?? []));
	return (
		<details class="languages">
			<summary>Languages: {namesOff.length === 0 ? "all on" : `off in ${namesOff.join(", ")}`}</summary>
			<fieldset>
				<legend>Show suggestions in</legend>
				{Object.entries(LANGUAGES).map(([name, ids]) => {
					const others = off.filter((id) => !ids.includes(id));
					return (
						<label key={name}>
							<input
								type="checkbox"
								checked={isOn(ids)}
								onChange={() => changeSettings({ languagesOff: isOn(ids) ? [...others, ...ids] : others })}
							/>
							{name}
						</label>
					);
				})}
			</fieldset>
		</details>
	);
}

const KIND_NAMES = { jump: "Jumps", rename: "Rename all at once", searchAndReplace: "Search and replace" } as const;

/** Labels for values that are not self-explanatory. */
const VALUE_NAMES: Readonly<Record<string, string>> = {
	server: "On the server",
	page: "In this page",
	system: "Same as the system",
	events: "Events",
	context: "With each request",
	both: "Both",
	incremental: "Incremental",
	full: "Whole text",
	low: "Low",
	medium: "Medium",
	high: "High",
	light: "Light",
	dark: "Dark",
	"utf-8": "UTF-8",
	"utf-16": "UTF-16",
	"utf-32": "UTF-32",
};

function Chooser({ name, label, remark }: { name: ChoiceSetting; label: string; remark?: string }) {
	return (
		<Row label={label} remark={remark}>
			<select
				name={name}
				value={settings.value[name]}
				onChange={({ currentTarget }) => changeSettings({ [name]: currentTarget.value } as Partial<PageSettings>)}
			>
				{CHOICES[name].map((option) => (
					<option key={option} value={option}>
						{VALUE_NAMES[option] ?? option}
					</option>
				))}
			</select>
		</Row>
	);
}

function Toggle(props: { label: string; isOn: boolean; change: (isOn: boolean) => void; remark: string }) {
	return (
		<Row label={props.label} remark={props.remark}>
			<Switch isOn={props.isOn} change={props.change} />
		</Row>
	);
}

/** A label next to its control, with a remark below that is not part of the label. */
function Row({ label, remark, children }: { label: string; remark?: string | undefined; children: ComponentChildren }) {
	return (
		<div class="setting">
			{/* biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children. */}
			<label>
				<span>{label}</span>
				{children}
			</label>
			{remark !== undefined && <p class="remark">{remark}</p>}
		</div>
	);
}
