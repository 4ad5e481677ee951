import { readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { UserError } from "@segue/agent/config/user-error";
import type { Store, Thread } from "@segue/assist";
import { sanitizeLine } from "@segue/text";
import type { Paint } from "./colour.js";
import { cannotRead } from "./message.js";
import { Transcript } from "./transcript.js";
import { cut, pad, paragraph, widthOf } from "./width.js";

/** A command that manages threads. */
export type ThreadCommand =
	| { readonly type: "list" }
	| { readonly type: "search"; readonly text: string }
	| { readonly type: "show" | "export" | "delete"; readonly id: string }
	| { readonly type: "rename"; readonly id: string; readonly title: string }
	/** A hyphen means standard input. */
	| { readonly type: "import"; readonly file: string };

interface ThreadCommandContext {
	/** The folder whose threads are listed. */
	readonly workspace: string;
	/** The folder to which file paths are relative. */
	readonly folder: string;
	/** Whether to list the threads of all folders. */
	readonly isAll: boolean;
	readonly isJson: boolean;
	readonly paint: Paint;
	/** The maximum width of a line. */
	readonly columns: number;
	readonly stdin: NodeJS.ReadableStream;
}

interface CommandOutput {
	readonly printed: string;
	/** A message to the user if the output is incomplete. */
	readonly notice?: string | undefined;
}

// Users see this many threads and can find older ones with --search. Scripts get all threads, in pages of this
// size.
const LISTED_MAX = 200;

/** Runs a thread command and returns its output. */
export async function runThreadCommand(
	store: Store,
	command: ThreadCommand,
	view: ThreadCommandContext,
): Promise<CommandOutput> {
	const workspace = view.isAll ? undefined : view.workspace;
	switch (command.type) {
		case "list": {
			if (view.isJson) return { printed: json(await gather(store, workspace, () => true)) };
			const threads = await store.list({ workspace, limit: LISTED_MAX + 1 });
			if (threads.length === 0) return { printed: nothing(view, "No conversations") };
			const others = "To find others: segue chat --search TEXT. To list all: segue chat --list --json";
			const notice = isMore(threads) ? `Only the newest ${LISTED_MAX} are shown. ${others}` : undefined;
			return { printed: printList(threads.slice(0, LISTED_MAX), view), notice };
		}
		case "search": {
			const all = await store.search(command.text, { workspace, limit: LISTED_MAX + 1 });
			const found = all.slice(0, LISTED_MAX);
			const notice = isMore(all)
				? `Only the newest ${LISTED_MAX} are shown. Use a longer search text to find fewer.`
				: undefined;
			if (view.isJson) return { printed: json(found), notice };
			if (found.length === 0)
				return { printed: nothing(view, `No conversation contains "${sanitizeLine(command.text)}"`) };
			const printed = found.map(
				({ thread, excerpt }) => `${printList([thread], view)}${line(excerpt, view, view.paint.dim)}`,
			);
			return { printed: printed.join(""), notice };
		}
		case "show":
			return { printed: await show(store, await findThread(store, command.id), view) };
		case "export": {
			const { id } = await findThread(store, command.id);
			return { printed: `${JSON.stringify(await store.exportThread(id), undefined, "\t")}\n` };
		}
		case "import": {
			const thread = await store.importThread(await readJson(command.file, view), view.workspace);
			return { printed: view.isJson ? json(thread) : `Imported as ${thread.id}: ${titleOf(thread)}\n` };
		}
		case "rename": {
			const thread = await findThread(store, command.id);
			await store.rename(thread.id, command.title);
			const renamed = { ...thread, title: command.title };
			return { printed: view.isJson ? json(renamed) : `Renamed to: ${sanitizeLine(command.title)}\n` };
		}
		case "delete": {
			const thread = await findThread(store, command.id);
			await store.delete(thread.id);
			return { printed: view.isJson ? json(thread) : `Deleted: ${titleOf(thread)}\n` };
		}
	}
}

/** Finds a thread by its id or a unique prefix of it. Throws a `UserError` if there is no match or more than one. */
export async function findThread(store: Store, id: string): Promise<Thread> {
	const whole = await store.thread(id);
	if (whole !== undefined) return whole;
	const found = await gather(store, undefined, (thread) => thread.id.startsWith(id));
	const [only, another] = found;
	if (only === undefined || id === "") {
		throw new UserError(
			`No conversation with the id "${sanitizeLine(id)}". To list all conversations: segue chat --list --all`,
		);
	}
	if (another !== undefined) {
		throw new UserError(
			`The ids of ${found.length} conversations start with "${sanitizeLine(id)}". Enter more characters of the id. To list all conversations: segue chat --list --all`,
		);
	}
	return only;
}

function isMore(found: readonly unknown[]): boolean {
	return found.length > LISTED_MAX;
}

/** All matching threads, newest first. */
async function gather(
	store: Store,
	workspace: string | undefined,
	isWanted: (thread: Thread) => boolean,
): Promise<Thread[]> {
	const found: Thread[] = [];
	let before: string | undefined;
	for (;;) {
		const page = await store.list({ workspace, limit: LISTED_MAX, before });
		found.push(...page.filter(isWanted));
		const last = page.at(-1);
		if (last === undefined || page.length < LISTED_MAX) return found;
		before = `${last.modifiedAt}|${last.id}`;
	}
}

async function show(store: Store, thread: Thread, view: ThreadCommandContext): Promise<string> {
	const entries = await store.entries(thread.id);
	if (view.isJson) return json({ thread, entries });
	const transcript = new Transcript(thread.workspace, view.paint, view);
	const text = entries.map((entry) => transcript.add({ type: "entry", entry })).join("");
	return `${view.paint.bold(titleOf(thread))}\n${view.paint.dim(sanitizeLine(thread.workspace))}\n\n${text}${transcript.endLine()}`;
}

// Enough characters of an id to distinguish threads.
const ID_SHOWN = 8;

function printList(threads: readonly Thread[], view: ThreadCommandContext): string {
	const { paint } = view;
	return threads
		.map((thread) => {
			// The Swedish format is like ISO 8601: 2030-01-31 10:20.
			const day = new Date(thread.modifiedAt).toLocaleString("sv", { dateStyle: "short", timeStyle: "short" });
			const folder = view.isAll ? `  ${sanitizeLine(thread.workspace)}` : "";
			const before = `${pad(sanitizeLine(thread.id).slice(0, ID_SHOWN), ID_SHOWN)}  ${day}  `;
			const room = view.columns - widthOf(before);
			return `${paint.cyan(before.slice(0, ID_SHOWN))}${paint.dim(before.slice(ID_SHOWN))}${cut(`${titleOf(thread)}${folder}`, room)}\n`;
		})
		.join("");
}

function line(text: string, { columns }: ThreadCommandContext, colour: (text: string) => string): string {
	const shown = `    ${sanitizeLine(text)}`;
	return `${colour(cut(shown, columns))}\n`;
}

function nothing({ workspace, isAll, columns }: ThreadCommandContext, message: string): string {
	const text = isAll ? `${message}.` : `${message} in ${sanitizeLine(workspace)}. Use --all for all folders.`;
	return paragraph(text, { columns });
}

function titleOf(thread: Thread): string {
	return thread.title === "" ? "(no title)" : sanitizeLine(thread.title);
}

function json(value: unknown): string {
	return `${JSON.stringify(value)}\n`;
}

async function readJson(file: string, { folder, stdin }: ThreadCommandContext): Promise<unknown> {
	let written: string;
	try {
		written = file === "-" ? await text(stdin) : await readFile(path.resolve(folder, file), "utf8");
	} catch (error) {
		throw new UserError(`${cannotRead(file, error)} To export a conversation: segue chat --export ID > FILE`);
	}
	try {
		return JSON.parse(written);
	} catch {
		throw new UserError(
			`${file === "-" ? "Standard input" : sanitizeLine(file)} is not JSON. To export a conversation: segue chat --export ID > FILE`,
		);
	}
}
