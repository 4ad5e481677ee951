import { useSignal } from "@preact/signals";
import type * as acp from "@segue/protocol/acp";
import { useId, useRef } from "preact/hooks";
import type { PageChat } from "./page-chat.js";

/**
 * The chat input. After a slash it lists commands: the arrow keys move through them, and Tab or a click inserts one.
 */
export function Composer({ chat, send }: { chat: PageChat; send: () => void }) {
	const { draft } = chat;
	const id = useId();
	const field = useRef<HTMLTextAreaElement>(null);
	/** Index of the command selected with the arrow keys; -1 for none. */
	const at = useSignal(-1);
	const commands = commandsFor(draft.value, chat.commands.value);
	const choose = ({ name }: acp.AvailableCommand) => {
		draft.value = `/${name} `;
		at.value = -1;
		field.current?.focus();
	};
	const press = (event: KeyboardEvent) => {
		// While an input method is composing, it handles these keys.
		if (event.shiftKey || event.isComposing) return;
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		const led = commands[at.value];
		const first = commands[0];
		if (by !== undefined && first !== undefined) {
			at.value = Math.max(0, Math.min(commands.length - 1, at.value + by));
		} else if (event.key === "Tab" && first !== undefined) choose(led ?? first);
		else if (event.key === "Enter" && led !== undefined) choose(led);
		else if (event.key === "Enter") send();
		else return;
		event.preventDefault();
	};
	return (
		<>
			{commands.length > 0 && <Commands id={id} commands={commands} at={at.value} choose={choose} />}
			<form
				class="say"
				onSubmit={(event) => {
					event.preventDefault();
					send();
				}}
			>
				<textarea
					ref={field}
					aria-label="Message to the agent"
					aria-controls={commands.length > 0 ? id : undefined}
					aria-activedescendant={commands[at.value] === undefined ? undefined : `${id}-${at.value}`}
					rows={2}
					placeholder="Ask about your code, or type / for commands"
					value={draft.value}
					onInput={({ currentTarget }) => {
						draft.value = currentTarget.value;
						at.value = -1;
					}}
					onKeyDown={press}
				/>
				{chat.isBusy.value ? (
					<button type="button" onClick={() => chat.stop()}>
						Stop
					</button>
				) : (
					<button type="submit" class="primary">
						Send
					</button>
				)}
			</form>
		</>
	);
}

/** Returns the commands that complete a draft such as `/he`. */
function commandsFor(draft: string, commands: readonly acp.AvailableCommand[]): readonly acp.AvailableCommand[] {
	return /^\/[\w-]*$/.test(draft) ? commands.filter(({ name }) => name.startsWith(draft.slice(1))) : [];
}

function Commands({
	id,
	commands,
	at,
	choose,
}: {
	id: string;
	commands: readonly acp.AvailableCommand[];
	at: number;
	choose: (command: acp.AvailableCommand) => void;
}) {
	return (
		<div class="commands" id={id} role="listbox" aria-label="Commands">
			{commands.map((command, i) => (
				<button
					type="button"
					role="option"
					key={command.name}
					id={`${id}-${i}`}
					tabIndex={-1}
					aria-selected={i === at}
					onClick={() => choose(command)}
				>
					<code>/{command.name}</code> {command.description}
				</button>
			))}
		</div>
	);
}
