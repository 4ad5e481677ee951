/** How an agent that speaks ACP over its standard streams is started. */
export interface AgentCommand {
	/** What people and threads call it. */
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
}

/** What fits into a sentence. */
const NAME_CHARS_MAX = 60;

/** Reads a command line without a shell: words, and quotes where a word has spaces. Throws a sentence for what is none. */
export function agentCommandOf(line: string): AgentCommand {
	const [command, ...args] = wordsOf(line);
	if (command === undefined || command === "") throw new RangeError("The command line of the agent is empty.");
	return { name: nameOf(command, args), command, args };
}

/** Single quotes keep everything, double quotes all but a backslash before a quote or another backslash, as in a shell. */
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
			// A backslash is a letter of a path on Windows; before a space or a quote it can only be meant as in a shell.
		} else if (character === "\\" && /[\s"'\\]/.test(next)) {
			word = (word ?? "") + next;
			i++;
		} else word = (word ?? "") + character;
	}
	if (quote !== undefined) throw new RangeError(`The command line of the agent has a ${quote} that is not closed.`);
	if (word !== undefined) words.push(word);
	return words;
}

/** Up to the first flag: what comes after one may be a key. */
function nameOf(command: string, args: readonly string[]): string {
	const words = args.filter((word) => word !== "-y" && word !== "--yes");
	const end = words.findIndex((word) => word.startsWith("-") || word.includes("="));
	const named = end < 0 ? words : words.slice(0, end);
	return [command, ...named]
		.map((word) => word.split(/[\\/](?=.)/).at(-1))
		.join(" ")
		.slice(0, NAME_CHARS_MAX);
}
