import { useEffect } from "preact/hooks";
import type { Playground } from "../playground.js";
import { quietOptions } from "../suggestions/no-suggestion-reason.js";
import { Options } from "../widgets/options.js";
import {
	CHOICES,
	type ChoiceSetting,
	changeSettings,
	OPTIONAL_KINDS,
	type PageSettings,
	settings,
} from "./settings.js";

/** Everything that can be set; each holds at once, with a new connection where it needs one. */
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
			<Chooser name="eagerness" label="How much is offered" />
			<Models playground={playground} />
			<Quiet playground={playground} />
			<fieldset>
				<legend>Kinds of suggestions</legend>
				<label title="Every agent may suggest edits: the protocol has no word for who wants none.">
					<input type="checkbox" checked disabled />
					Edits
				</label>
				{OPTIONAL_KINDS.map((kind) => (
					<label key={kind}>
						<input
							type="checkbox"
							checked={now.kinds[kind]}
							onChange={() => changeSettings({ kinds: { ...now.kinds, [kind]: !now.kinds[kind] } })}
						/>
						{KIND_NAMES[kind]}
					</label>
				))}
			</fieldset>
			<Chooser name="encoding" label="Positions are counted in" />
			<Chooser name="agent" label="The agent runs" />
			<Chooser name="sync" label="The agent learns of documents by" />
			<Chooser name="changes" label="A change is told as" />
			<Chooser name="theme" label="Theme" />
			<p class="remark">
				Kinds, positions, the agent, documents and changes begin a new connection. An agent in this page needs no
				server, and has neither chat nor models. Look at the inspector to see what they change.
			</p>
			{now.agent === "server" && (
				<fieldset>
					<legend>Chat</legend>
					{chat.options.value.length === 0 && <span class="remark">The agent offers nothing to choose.</span>}
					<Options options={chat.options.value} choose={(id, value) => chat.choose(id, value)} />
				</fieldset>
			)}
		</form>
	);
}

/** When suggestions are kept back. */
function Quiet({ playground }: { playground: Playground }) {
	const options = quietOptions(playground.options.value);
	if (options.length === 0) return null;
	return (
		<fieldset>
			<legend>Fewer suggestions</legend>
			<Options options={options} choose={(id, value) => playground.set(id, value)} />
			<span class="remark">
				These last until the next connection. To keep them, and to turn suggestions off by language or file, use{" "}
				<code>nextEdit</code> in the configuration.
			</span>
		</fieldset>
	);
}

/** The choice of a prediction model. One that cannot be used says why when it is chosen and there is no suggestion. */
function Models({ playground }: { playground: Playground }) {
	const option = playground.options.value.find(({ id }) => id === "nes_model");
	if (option?.type !== "select") return null;
	const models = option.options.flatMap((each) => ("value" in each ? [each] : []));
	const { description } = models.find(({ value }) => value === option.currentValue) ?? {};
	return (
		<label>
			<span>{option.name}</span>
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
			{description && <span class="remark">{description}</span>}
		</label>
	);
}

/** Values that say little by themselves. */
const WORDS: Readonly<Record<string, string>> = { server: "on the server", page: "in this page" };

const KIND_NAMES = { jump: "Jumps", rename: "Rename", searchAndReplace: "Search and replace" } as const;

function Chooser({ name, label }: { name: ChoiceSetting; label: string }) {
	return (
		<label>
			<span>{label}</span>
			<select
				name={name}
				value={settings.value[name]}
				onChange={({ currentTarget }) => changeSettings({ [name]: currentTarget.value } as Partial<PageSettings>)}
			>
				{CHOICES[name].map((option) => (
					<option key={option} value={option}>
						{WORDS[option] ?? option}
					</option>
				))}
			</select>
		</label>
	);
}
