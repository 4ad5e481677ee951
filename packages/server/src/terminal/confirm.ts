/** Asks the person in front of the terminal for a yes; undefined where nobody is. */
export function confirmHere(): ((question: string) => Promise<boolean>) | undefined {
	const { stdin, stdout } = process;
	return stdin.isTTY && stdout.isTTY ? askPerson : undefined;
}

async function askPerson(question: string): Promise<boolean> {
	const { confirm } = await import("@clack/prompts");
	// Where it is cancelled, it is a symbol.
	return (await confirm({ message: question, initialValue: false })) === true;
}
