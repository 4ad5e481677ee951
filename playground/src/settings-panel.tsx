import { useEffect } from "preact/hooks";
import { ChatOptions } from "./chat-options.js";
import type { Playground } from "./playground.js";
import { change, type Settings, settings } from "./settings.js";

/** Everything that can be set; each holds at once, with a new connection where it needs one. */
export function SettingsPanel({ playground }: { playground: Playground }) {
	const now = settings.value;
	const { conversation } = playground;
	const isConnected = playground.link.status.value === "open";
	useEffect(() => {
		if (isConnected) void conversation.begin();
	}, [isConnected]);
	return (
		<form class="settings" onSubmit={(event) => event.preventDefault()}>
			<Choice name="eagerness" label="How much is offered" options={["low", "medium", "high"]} />
			<Models playground={playground} />
			<fieldset>
				<legend>Kinds besides edits and jumps</legend>
				{(["rename", "searchAndReplace"] as const).map((kind) => (
					<label key={kind}>
						<input
							type="checkbox"
							checked={now.kinds[kind]}
							onChange={() => change({ kinds: { ...now.kinds, [kind]: !now.kinds[kind] } })}
						/>
						{kind === "rename" ? "Rename" : "Search and replace"}
					</label>
				))}
			</fieldset>
			<Choice name="encoding" label="Positions are counted in" options={["utf-8", "utf-16", "utf-32"]} />
			<Choice name="sync" label="The agent learns of documents by" options={["events", "context", "both"]} />
			<Choice name="changes" label="A change is told as" options={["incremental", "full"]} />
			<Choice name="theme" label="Theme" options={["system", "light", "dark"]} />
			<p class="remark">
				Kinds, positions, documents and changes begin a new connection. Look at the inspector to see what they change.
			</p>
			<fieldset>
				<legend>Chat</legend>
				{conversation.options.value.length === 0 && <span class="remark">The agent offers nothing to choose.</span>}
				<ChatOptions conversation={conversation} />
			</fieldset>
		</form>
	);
}

/** What writes next edits. One that cannot be used says why where it is chosen and nothing is offered. */
function Models({ playground }: { playground: Playground }) {
	const option = playground.models.value;
	if (option?.type !== "select") return null;
	const models = option.options.flatMap((each) => ("value" in each ? [each] : []));
	const { description } = models.find(({ value }) => value === option.currentValue) ?? {};
	return (
		<label>
			<span>{option.name}</span>
			<select
				name="model"
				value={option.currentValue}
				onChange={({ currentTarget }) => void playground.chooseModel(currentTarget.value)}
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

type Chosen = "eagerness" | "encoding" | "sync" | "changes" | "theme";

function Choice<Name extends Chosen>({
	name,
	label,
	options,
}: {
	name: Name;
	label: string;
	options: readonly Settings[Name][];
}) {
	return (
		<label>
			<span>{label}</span>
			<select
				name={name}
				value={settings.value[name]}
				onChange={({ currentTarget }) => change({ [name]: currentTarget.value } as Partial<Settings>)}
			>
				{options.map((option) => (
					<option key={option} value={option}>
						{option}
					</option>
				))}
			</select>
		</label>
	);
}
