import type * as acp from "@segue/protocol/acp";
import { printUnified } from "@segue/text";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { settings } from "../settings/settings.js";
import { SegueCommand } from "../widgets/command.js";
import { Icon } from "../widgets/icon.js";
import { Options } from "../widgets/options.js";
import { AgentMessage } from "./agent-message.js";
import { Composer } from "./composer.js";
import type { ChatItem, PermissionQuestion } from "./page-chat.js";

// A position less than a line from the end counts as the end.
const LINE_PX = 20;

/** A chat about the open project, on the same connection as suggestions. */
export function ChatPanel({ playground }: { playground: Playground }) {
	if (settings.value.agent === "page") {
		return <p class="remark">Chat needs the agent on the server. To switch to it, go to Settings, Advanced, Agent.</p>;
	}
	const project = playground.bench.project.value;
	// The agent works in a folder, which a story does not have.
	if (project !== undefined && project.folder === undefined && project.isWritten !== true) {
		return (
			<div class="welcome">
				<Icon name="chat" />
				<h2>Chat needs files on disk</h2>
				<p class="remark">Stories have none. Choose a sample or a folder in the list of projects, at the top left.</p>
			</div>
		);
	}
	return <ChatView playground={playground} />;
}

function ChatView({ playground }: { playground: Playground }) {
	const { chat } = playground;
	const { draft } = chat;
	const log = useRef<HTMLDivElement>(null);
	// The log follows new text only while it is scrolled to the end.
	const isAtEnd = useRef(true);
	const items = chat.items.value;
	const questions = chat.questions.value;
	// Uses a layout effect, to scroll before the browser reports a scroll position that is no longer at the end.
	useLayoutEffect(() => {
		if (log.current !== null && isAtEnd.current) log.current.scrollTop = log.current.scrollHeight;
	}, [items, questions]);
	const hasModel = chat.options.value.some(({ category }) => category === "model");
	const connection = playground.link.connection.value;
	const root = playground.bench.project.value?.root;
	useEffect(() => {
		if (connection !== undefined) void chat.begin();
	}, [connection, root]);
	const send = () => {
		const text = draft.value.trim();
		if (text === "" || chat.isBusy.value) return;
		draft.value = "";
		isAtEnd.current = true;
		void chat.send(text);
	};
	return (
		<div class="chat">
			<div class="toolbar">
				<Options options={chat.options.value} choose={(id, value) => chat.choose(id, value)} />
				{items.length > 0 && (
					<button type="button" onClick={() => chat.renew()}>
						New chat
					</button>
				)}
			</div>
			<div
				class="log"
				ref={log}
				role="log"
				aria-label="Chat"
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard.
				tabIndex={0}
				onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
					isAtEnd.current = scrollTop + clientHeight > scrollHeight - LINE_PX;
				}}
			>
				{items.length === 0 && <Welcome playground={playground} hasModel={hasModel} />}
				{items.map((item, i) => (
					<ItemView key={item.type === "call" ? item.id : i} item={item} playground={playground} />
				))}
				{questions.map((question) => (
					<QuestionView key={question.callId} question={question} />
				))}
			</div>
			<Composer chat={chat} send={send} />
		</div>
	);
}

function Welcome({ playground, hasModel }: { playground: Playground; hasModel: boolean }) {
	if (hasModel) {
		return (
			<div class="welcome">
				<Icon name="chat" />
				<h2>Chat about this project</h2>
				<p class="remark">
					Ask a question, or ask for a change. You approve each change before it is made. Type <code>/help</code> for a
					list of commands.
				</p>
			</div>
		);
	}
	return (
		<div class="welcome">
			<Icon name="chat" />
			<h2>Chat needs a model</h2>
			<p class="remark">Stop Segue in its terminal with Ctrl C. Then either:</p>
			<dl>
				<dt>Start Segue with a local model</dt>
				<dd>
					<SegueCommand playground={playground} args="play" model="ollama/qwen3" />
				</dd>
				<dt>Or store an API key, and start Segue again</dt>
				<dd>
					<SegueCommand playground={playground} args="login anthropic" />
				</dd>
			</dl>
			<p class="remark">
				Suggestions, and commands such as <code>/help</code>, work without a model.
			</p>
		</div>
	);
}

function ItemView({ item, playground }: { item: ChatItem; playground: Playground }) {
	switch (item.type) {
		case "agent":
			return <AgentMessage text={item.text} />;
		case "user":
			return <div class="item user">{item.text}</div>;
		case "notice": {
			// The agent does not know how the user runs `segue` on this machine.
			const { command } = playground.installation.value;
			return <div class="item notice">{item.text.replaceAll("run: segue ", () => `run: ${command} `)}</div>;
		}
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

function ContentView({ content }: { content: acp.ToolCallContent }) {
	if (content.type === "diff") {
		const { path, oldText, newText } = content;
		// The first two lines repeat the path.
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

function QuestionView({ question }: { question: PermissionQuestion }) {
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
