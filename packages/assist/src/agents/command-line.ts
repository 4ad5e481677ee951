/** The command that starts an agent, which speaks ACP over its standard streams. */
export interface AgentCommand {
	/** The name shown to users and stored in threads. */
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
}

/** Short enough for a message. */
const NAME_CHARS_MAX = 60;

/**
 * Parses a command line without a shell. Words with spaces need quotes. Throws a `RangeError` with a message for the
 * user.
 */
export function agentCommandOf(line: string): AgentCommand {
	const [command, ...args] = wordsOf(line);
	if (command === undefined || command === "") throw new RangeError("The agent's command line is empty.");
	return { name: nameOf(command, args), command, args };
}

/** As in a shell, single quotes are literal, and in double quotes a backslash escapes a quote or another backslash. */
function wordsOf(line: string): string[] {
	const words: string[] = [];
	let word: string | undefined;
	let quote: string | undefined;
	for (let i = 0; i < line.length; i++) {
		const character = line.charAt(i);
		const next = line.charAt(i + 1);
		if (quote !== undefined) {
			if (character === quote) quote = undefined;
			else if (character === "\\" && quote === '"' && /["\\]/.test(next)) {
				word += next;
				i++;
			} else word += character;
		} else if (character === "'" || character === '"') {
			quote = character;
			word ??= "";
		} else if (/\s/.test(character)) {
			if (word !== undefined) words.push(word);
			word = undefined;
			// A backslash separates folders on Windows, so it only escapes a space, a quote or another backslash.
		} else if (character === "\\" && /[\s"'\\]/.test(next)) {
			word = (word ?? "") + next;
			i++;
		} else word = (word ?? "") + character;
	}
	if (quote !== undefined) throw new RangeError(`The agent's command line has an unclosed ${quote} quote.`);
	if (word !== undefined) words.push(word);
	return words;
}

/** Uses only the words before the first flag, because a flag's value can be a key. */
function nameOf(command: string, args: readonly string[]): string {
	const words = args.filter((word) => word !== "-y" && word !== "--yes");
	const end = words.findIndex((word) => word.startsWith("-") || word.includes("="));
	const named = end < 0 ? words : words.slice(0, end);
	return [command, ...named]
		.map((word) => word.split(/[\\/](?=.)/).at(-1))
		.join(" ")
		.slice(0, NAME_CHARS_MAX);
}
