/** A sentence in which words between backticks are code, and words in double brackets are keys. */
export function InlineMarkdown({ text }: { text: string }) {
	return (
		<>
			{text.split(/(`[^`]*`|\[\[.*?\]\])/).map((part, i) => {
				if (i % 2 === 0) return part;
				return part.startsWith("`") ? <code key={i}>{part.slice(1, -1)}</code> : <kbd key={i}>{part.slice(2, -2)}</kbd>;
			})}
		</>
	);
}
