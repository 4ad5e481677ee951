import { useSignal } from "@preact/signals";
import type { ToolCallContent } from "@segue/protocol/acp";
import { printUnified } from "@segue/text";
import { useEffect, useRef } from "preact/hooks";
import { ChatOptions } from "./chat-options.js";
import type { Conversation, Item, Question } from "./conversation.js";
import type { Playground } from "./playground.js";

/** A chat about what is open, on the same connection as suggestions. */
export function Chat({ playground }: { playground: Playground }) {
	const { conversation } = playground;
	const draft = useSignal("");
	const log = useRef<HTMLDivElement>(null);
	const items = conversation.items.value;
	const questions = conversation.questions.value;
	useEffect(() => {
		if (log.current !== null) log.current.scrollTop = log.current.scrollHeight;
	}, [items, questions]);
	const hasModel = conversation.options.value.some(({ category }) => category === "model");
	const isConnected = playground.link.status.value === "open";
	const root = playground.bench.project.value?.root;
	useEffect(() => {
		if (isConnected) void conversation.begin();
	}, [isConnected, root]);
	const send = () => {
		const text = draft.value.trim();
		if (text === "" || conversation.isBusy.value) return;
		draft.value = "";
		void conversation.say(text);
	};
	return (
		<div class="chat">
			<div class="toolbar">
				<ChatOptions conversation={conversation} />
				<button type="button" onClick={() => conversation.renew()}>
					New chat
				</button>
			</div>
			<div class="log" ref={log} role="log" aria-label="Chat">
				{items.length === 0 && <Welcome hasModel={hasModel} />}
				{items.map((item, i) => (
					<ItemView key={item.type === "call" ? item.id : i} item={item} />
				))}
				{questions.map((question) => (
					<QuestionView key={question.callId} question={question} />
				))}
			</div>
			<Commands conversation={conversation} draft={draft.value} />
			<form
				class="say"
				onSubmit={(event) => {
					event.preventDefault();
					send();
				}}
			>
				<textarea
					aria-label="What to say"
					rows={2}
					placeholder="Ask something, or /help"
					value={draft.value}
					onInput={({ currentTarget }) => {
						draft.value = currentTarget.value;
					}}
					onKeyDown={(event) => {
						if (event.key !== "Enter" || event.shiftKey) return;
						event.preventDefault();
						send();
					}}
				/>
				{conversation.isBusy.value ? (
					<button type="button" onClick={() => conversation.stop()}>
						Stop
					</button>
				) : (
					<button type="submit" class="primary">
						Send
					</button>
				)}
			</form>
		</div>
	);
}

function Welcome({ hasModel }: { hasModel: boolean }) {
	if (hasModel) {
		return (
			<p class="remark">
				Ask about the files that are open, or have them changed. What is changed is asked for first. <code>/help</code>{" "}
				lists the commands.
			</p>
		);
	}
	return (
		<p class="remark">
			Suggestions need no model; an answer does. Start Segue with one, as in{" "}
			<code>SEGUE_MODEL=ollama/qwen3 npm start</code>, or store a key: <code>segue login anthropic</code>. The commands
			work without: try <code>/help</code>.
		</p>
	);
}

function ItemView({ item }: { item: Item }) {
	switch (item.type) {
		case "user":
		case "agent":
		case "notice":
			return <div class={`item ${item.type}`}>{item.text}</div>;
		case "thought":
			return (
				<details class="item thought">
					<summary>Thought</summary>
					{item.text}
				</details>
			);
		case "plan":
			return (
				<ul class="item plan">
					{item.entries.map(({ content, status }) => (
						<li key={content} class={status}>
							{content}
						</li>
					))}
				</ul>
			);
		case "call":
			return (
				<details class={`item call ${item.status}`} open={item.content.some(({ type }) => type === "diff")}>
					<summary>
						{item.title} <span class="remark">{item.status.replace("_", " ")}</span>
					</summary>
					{item.content.map((content, i) => (
						<ContentView key={i} content={content} />
					))}
				</details>
			);
	}
}

const MARKS: Readonly<Record<string, string>> = { "-": "removed", "+": "added", "@": "remark" };

function ContentView({ content }: { content: ToolCallContent }) {
	if (content.type === "diff") {
		const { path, oldText, newText } = content;
		// The first two lines name the file, which is told already.
		const lines = printUnified(oldText ?? "", newText, path, path)
			.split("\n")
			.slice(2);
		return (
			<div class="diff">
				<div class="remark">{path}</div>
				<pre>
					{lines.map((line, i) => (
						<span key={i} class={MARKS[line.charAt(0)]}>{`${line}\n`}</span>
					))}
				</pre>
			</div>
		);
	}
	if (content.type === "content" && content.content.type === "text") return <pre>{content.content.text}</pre>;
	return <div class="remark">({content.type})</div>;
}

function QuestionView({ question }: { question: Question }) {
	return (
		<div class="item question" role="alertdialog" aria-label="Permission">
			<p>{question.title}?</p>
			<div class="buttons">
				{question.options.map(({ optionId, name }) => (
					<button type="button" key={optionId} onClick={() => question.answer(optionId)}>
						{name}
					</button>
				))}
			</div>
		</div>
	);
}

/** What a slash can be followed by. */
function Commands({ conversation, draft }: { conversation: Conversation; draft: string }) {
	if (!/^\/\w*$/.test(draft)) return null;
	const found = conversation.commands.value.filter(({ name }) => name.startsWith(draft.slice(1)));
	if (found.length === 0) return null;
	return (
		<ul class="commands">
			{found.map(({ name, description }) => (
				<li key={name}>
					<code>/{name}</code> {description}
				</li>
			))}
		</ul>
	);
}
