import { useMemo, useRef } from "preact/hooks";
import { EMPTY_PARSE, type MarkdownBlock, type MarkdownSpan, parseMarkdown } from "./markdown.js";

/** What the agent says, with its code, lists and stresses drawn. Whatever it says is text, and never becomes HTML. */
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
	// Of an answer that grows all blocks but the last are the same ones, and need not be compared with themselves.
	return useMemo(() => draw(block), [block]);
}

function draw(block: MarkdownBlock) {
	switch (block.type) {
		case "paragraph":
			return <Spans spans={block.spans} as="p" />;
		case "heading":
			// The page's headings are of its parts, and an answer is none of them.
			return (
				<p class="heading">
					<Spans spans={block.spans} as="strong" />
				</p>
			);
		case "code":
			return (
				<pre>
					{block.label !== "" && <span class="remark">{block.label}</span>}
					<code>{block.text}</code>
				</pre>
			);
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
		case "rule":
			return <hr />;
	}
}

function Spans({ spans, as: Whole }: { spans: readonly MarkdownSpan[]; as: "p" | "strong" | "em" }) {
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
			// Where it leads is for the person to judge, so it is shown, and nothing is to be clicked.
			return (
				<>
					{span.label}
					{span.label !== span.address && <span class="remark"> ({span.address})</span>}
				</>
			);
	}
}
