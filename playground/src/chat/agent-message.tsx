import { useMemo, useRef } from "preact/hooks";
import { CodeBlock } from "./code-block.js";
import { EMPTY_PARSE, type MarkdownBlock, type MarkdownSpan, parseMarkdown } from "./markdown.js";

/** A message from the agent as formatted Markdown. The text is never parsed as HTML. */
export function AgentMessage({ text }: { text: string }) {
	const read = useRef(EMPTY_PARSE);
	const { blocks } = useMemo(() => {
		read.current = parseMarkdown(text, read.current);
		return read.current;
	}, [text]);
	return (
		<div class="item answer">
			<Blocks blocks={blocks} />
		</div>
	);
}

function Blocks({ blocks }: { blocks: readonly MarkdownBlock[] }) {
	return (
		<>
			{blocks.map((block, i) => (
				<BlockView key={i} block={block} />
			))}
		</>
	);
}

function BlockView({ block }: { block: MarkdownBlock }) {
	// While an answer grows, only its last block changes, so the other blocks are not rendered again.
	return useMemo(() => draw(block), [block]);
}

function draw(block: MarkdownBlock) {
	switch (block.type) {
		case "paragraph":
			return <Spans spans={block.spans} as="p" />;
		case "heading":
			// Not a heading element, because an answer is not part of the page's outline.
			return (
				<p class="heading">
					<Spans spans={block.spans} as="strong" />
				</p>
			);
		case "code":
			return <CodeBlock label={block.label} text={block.text} />;
		case "list": {
			const items = block.items.map((blocks, i) => (
				<li key={i}>
					<Blocks blocks={blocks} />
				</li>
			));
			return block.from === undefined ? <ul>{items}</ul> : <ol start={block.from}>{items}</ol>;
		}
		case "quote":
			return (
				<blockquote>
					<Blocks blocks={block.blocks} />
				</blockquote>
			);
		case "table":
			return <Table table={block} />;
		case "rule":
			return <hr />;
	}
}

function Table({ table: { aligns, head, rows } }: { table: Extract<MarkdownBlock, { type: "table" }> }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard.
		<div class="table" tabIndex={0}>
			<table>
				<thead>
					<tr>
						{head.map((cell, i) => (
							<th key={i} scope="col" class={aligns[i]}>
								<Spans spans={cell} as="span" />
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, i) => (
						<tr key={i}>
							{row.map((cell, j) => (
								<td key={j} class={aligns[j]}>
									<Spans spans={cell} as="span" />
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function Spans({ spans, as: Whole }: { spans: readonly MarkdownSpan[]; as: "p" | "strong" | "em" | "span" }) {
	return (
		<Whole>
			{spans.map((span, i) => (
				<SpanView key={i} span={span} />
			))}
		</Whole>
	);
}

function SpanView({ span }: { span: MarkdownSpan }) {
	switch (span.type) {
		case "text":
			return <>{span.text}</>;
		case "code":
			return <code>{span.text}</code>;
		case "strong":
			return <Spans spans={span.spans} as="strong" />;
		case "emphasis":
			return <Spans spans={span.spans} as="em" />;
		case "link":
			// The address is shown as text, so that the user sees where the link leads. It cannot be clicked.
			return (
				<>
					{span.label}
					{span.label !== span.address && <span class="remark"> ({span.address})</span>}
				</>
			);
	}
}
