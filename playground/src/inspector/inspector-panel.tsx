import { useComputed, useSignal } from "@preact/signals";
import { errorText } from "@segue/text";
import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { AgentDocuments } from "./agent-documents.js";
import { JsonTree } from "./json-tree.js";
import { type MessageRow, matches, messageRowsOf } from "./message-rows.js";
import type { MessageTrace } from "./message-trace.js";
import { loadTraceFile, writeTraceFile } from "./trace-file.js";

// The height of a row in inspector.css. Used to draw only the visible rows and a few above and below them.
const ROW_PX = 24;
const ROWS_BEYOND = 10;

/** Every message in both directions, and the agent's copies of the documents. */
export function InspectorPanel({ playground }: { playground: Playground }) {
	return (
		<div class="inspector">
			<p class="remark">
				For developers of plugins and agents: every message between this page and the agent, and the agent's copies of
				your files.
			</p>
			<MessageList trace={playground.trace} source="Live" />
			<AgentDocuments playground={playground} />
		</div>
	);
}

/** A list of messages. `source` names the origin of the messages shown while no trace file is loaded. */
export function MessageList({ trace, source }: { trace: MessageTrace; source: string }) {
	const { method, text, chosen } = trace.sought;
	const trouble = useSignal("");
	const rows = useComputed(() => messageRowsOf(trace.records.value));
	const listed = useComputed(() => rows.value.filter((row) => matches(row, method.value, text.value)));
	const row = chosen.value === undefined ? undefined : rows.value[chosen.value];
	return (
		<>
			<div class="toolbar">
				<input
					type="search"
					placeholder="Method"
					aria-label="Filter by method"
					value={method.value}
					onInput={({ currentTarget }) => {
						method.value = currentTarget.value;
					}}
				/>
				<input
					type="search"
					placeholder="Text"
					aria-label="Search in messages"
					value={text.value}
					onInput={({ currentTarget }) => {
						text.value = currentTarget.value;
					}}
				/>
				<button type="button" onClick={() => save(trace)}>
					Save
				</button>
				<label class="button">
					Load
					<input
						type="file"
						accept=".jsonl,.trace,application/json"
						onChange={async ({ currentTarget }) => {
							const [file] = currentTarget.files ?? [];
							// Without this reset, choosing the same file again fires no event.
							currentTarget.value = "";
							trouble.value = (await load(trace, file)) ?? "";
							chosen.value = undefined;
						}}
					/>
				</label>
				<button
					type="button"
					onClick={() => {
						if (trace.file.value === undefined) trace.clear();
						else trace.unload();
						chosen.value = undefined;
					}}
				>
					{trace.file.value === undefined ? "Clear" : "Back to live messages"}
				</button>
			</div>
			{trouble.value !== "" && (
				<p class="trouble" role="alert">
					{trouble.value}
				</p>
			)}
			<p class="remark" data-testid="message-count">
				{trace.file.value ?? source}: {listed.value.length.toLocaleString("en-US")} of{" "}
				{rows.value.length.toLocaleString("en-US")} messages
			</p>
			<Rows
				rows={listed.value}
				chosen={chosen.value}
				choose={(index) => {
					chosen.value = index;
				}}
			/>
			{row && (
				<Details
					row={row}
					pair={row.pair === undefined ? undefined : rows.value[row.pair]}
					choose={(index) => {
						chosen.value = index;
					}}
				/>
			)}
		</>
	);
}

function Rows({
	rows,
	chosen,
	choose,
}: {
	rows: readonly MessageRow[];
	chosen: number | undefined;
	choose: (index: number) => void;
}) {
	const top = useSignal(0);
	const height = useSignal(400);
	const list = useRef<HTMLDivElement>(null);
	// The list follows new messages only while it is scrolled to the end.
	const isAtEnd = useRef(true);
	useEffect(() => {
		const element = list.current;
		if (element === null) return;
		const sized = new ResizeObserver(() => (height.value = element.clientHeight));
		sized.observe(element);
		return () => sized.disconnect();
	}, []);
	useEffect(() => {
		if (list.current !== null && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
	}, [rows.length]);
	const first = Math.max(0, Math.floor(top.value / ROW_PX) - ROWS_BEYOND);
	const last = Math.ceil((top.value + height.value) / ROW_PX) + ROWS_BEYOND;
	const at = rows.findIndex(({ index }) => index === chosen);
	const move = (by: number) => {
		const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
		if (next === undefined) return;
		choose(next.index);
		const y = rows.indexOf(next) * ROW_PX;
		if (list.current !== null && (y < top.value || y > top.value + height.value - 2 * ROW_PX)) {
			list.current.scrollTop = y - height.value / 2;
		}
	};
	return (
		<>
			<div class="row-headings" aria-hidden="true">
				<span class="time">Time, s</span>
				<span class="method">Message</span>
				<span class="latency">Latency</span>
				<span class="size">Size</span>
			</div>
			<div
				class="rows"
				ref={list}
				role="listbox"
				aria-label="Messages"
				tabIndex={0}
				aria-activedescendant={first <= at && at < last ? `message-${chosen}` : undefined}
				onScroll={({ currentTarget }) => {
					const { scrollTop, scrollHeight, clientHeight } = currentTarget;
					top.value = scrollTop;
					isAtEnd.current = scrollTop + clientHeight > scrollHeight - ROW_PX;
				}}
				onKeyDown={(event) => {
					const { length } = rows;
					const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -length, End: length }[event.key];
					if (by === undefined) return;
					event.preventDefault();
					move(by);
				}}
			>
				<div class="rows-all" style={{ height: `${rows.length * ROW_PX}px` }}>
					{rows.slice(first, last).map((row, i) => (
						<button
							type="button"
							key={row.index}
							id={`message-${row.index}`}
							role="option"
							tabIndex={-1}
							aria-selected={row.index === chosen}
							class={`row ${row.kind} ${row.record.from}`}
							style={{ top: `${(first + i) * ROW_PX}px` }}
							onClick={() => choose(row.index)}
						>
							<span class="time">{(row.record.atMs / 1000).toFixed(3)}</span>
							<span class="direction" title={row.record.from === "client" ? "from the editor" : "from the agent"}>
								{row.record.from === "client" ? "→" : "←"}
							</span>
							<span class="method">
								{row.method}
								{row.kind === "response" ? " ✓" : row.kind === "error" ? " ✗" : ""}
							</span>
							<span class="latency">{row.latencyMs === undefined ? "" : `${row.latencyMs.toFixed(0)} ms`}</span>
							<span class="size">{sizeOf(row.record.text)}</span>
						</button>
					))}
				</div>
			</div>
		</>
	);
}

function Details({
	row,
	pair,
	choose,
}: {
	row: MessageRow;
	pair: MessageRow | undefined;
	choose: (index: number) => void;
}) {
	return (
		<section class="details" aria-label="Message">
			<h2>
				{row.method} ({row.kind})
				{pair !== undefined && (
					<button type="button" onClick={() => choose(pair.index)}>
						{pair.kind === "request" ? "Show request" : "Show response"}
					</button>
				)}
			</h2>
			<JsonTree key={row.index} value={row.value} open />
		</section>
	);
}

function sizeOf(text: string): string {
	return text.length < 10_000 ? `${text.length}` : `${(text.length / 1000).toFixed(0)} k`;
}

function save(trace: MessageTrace): void {
	const address = URL.createObjectURL(new Blob([writeTraceFile(trace)], { type: "application/jsonl" }));
	const link = document.createElement("a");
	link.href = address;
	link.download = "segue-trace.jsonl";
	link.click();
	URL.revokeObjectURL(address);
}

/** Loads a trace file. Resolves to an error message if it cannot be read. */
async function load(trace: MessageTrace, file: File | undefined): Promise<string | undefined> {
	if (file === undefined) return undefined;
	try {
		loadTraceFile(trace, file.name, await file.text());
		return undefined;
	} catch (error) {
		return `Cannot load ${file.name}: ${errorText(error)}`;
	}
}
