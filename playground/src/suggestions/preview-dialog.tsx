import { useSignal } from "@preact/signals";
import { fileNameOf } from "@segue/text";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { EditPreview, Playground } from "../playground.js";
import { Modal } from "../widgets/modal.js";

/** A dialog in which the user reviews the edits for a rename or a search and replace, and can leave some out. */
export function PreviewDialog({ playground }: { playground: Playground }) {
	const preview = playground.preview.value;
	return preview && <Places key={preview} preview={preview} playground={playground} />;
}

function Places({ preview, playground }: { preview: EditPreview; playground: Playground }) {
	const taking = useRef<HTMLButtonElement>(null);
	const unticked = useSignal<ReadonlySet<string>>(new Set());
	// With the focus on this button, Enter applies the selected edits.
	useLayoutEffect(() => taking.current?.focus(), []);
	const places = preview.files.flatMap(({ uri, edits }) => {
		const text = playground.bench.textOf(uri) ?? "";
		return edits.map((edit, i) => ({ id: `${uri} ${i}`, uri, edit, ...lineAround(text, edit.from) }));
	});
	const toggle = (id: string) => {
		const next = new Set(unticked.value);
		if (!next.delete(id)) next.add(id);
		unticked.value = next;
	};
	const chosen = () =>
		preview.files
			.map((file) => ({ ...file, edits: file.edits.filter((_, i) => !unticked.value.has(`${file.uri} ${i}`)) }))
			.filter(({ edits }) => edits.length > 0);
	return (
		<Modal name="preview" label={preview.title} cancel={() => preview.answer([])}>
			<h2>{preview.title}</h2>
			<ul>
				{places.map(({ id, uri, edit, line, number, column }) => (
					<li key={id}>
						<label>
							<input type="checkbox" checked={!unticked.value.has(id)} onChange={() => toggle(id)} />
							<span class="where">
								{fileNameOf(uri)}:{number}
							</span>
							<code>
								{line.slice(0, column)}
								<del>{line.slice(column, column + edit.to - edit.from)}</del>
								<ins>{edit.insert}</ins>
								{line.slice(column + edit.to - edit.from)}
							</code>
						</label>
					</li>
				))}
			</ul>
			<div class="buttons">
				<button type="button" onClick={() => preview.answer([])}>
					Cancel
				</button>
				<button type="button" class="primary" ref={taking} onClick={() => preview.answer(chosen())}>
					Replace {places.length - unticked.value.size} of {places.length}
				</button>
			</div>
		</Modal>
	);
}

/** Returns the line at an offset, without its indentation. */
function lineAround(text: string, offset: number): { line: string; number: number; column: number } {
	const from = text.slice(0, offset).lastIndexOf("\n") + 1;
	const end = text.indexOf("\n", offset);
	const whole = text.slice(from, end < 0 ? text.length : end);
	const indent = Math.min(whole.length - whole.trimStart().length, offset - from);
	return { line: whole.slice(indent), number: text.slice(0, from).split("\n").length, column: offset - from - indent };
}
