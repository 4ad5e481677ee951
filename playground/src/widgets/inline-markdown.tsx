/**
 * A sentence in which words between backticks are code, and words in double brackets are keys. With `press`, each key is
 * a button, because touch screens have no such keys.
 */
export function InlineMarkdown({ text, press }: { text: string; press?: (key: string) => void }) {
	return (
		<>
			{text.split(/(`[^`]*`|\[\[.*?\]\])/).map((part, i) => {
				if (i % 2 === 0) return part;
				if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
				const key = part.slice(2, -2);
				if (press === undefined) return <kbd key={i}>{key}</kbd>;
				return (
					<button key={i} type="button" class="quiet key" title={`Click to press ${key}`} onClick={() => press(key)}>
						<kbd>{key}</kbd>
					</button>
				);
			})}
		</>
	);
}
