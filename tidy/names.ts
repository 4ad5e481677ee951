import { lineAt, type Tree } from "./tree.js";

/** Names that say nothing of what is inside, so that anything ends up there. */
const VAGUE = /^(?:.*[-_])?(?:utils?|helpers?|common|misc|manager|service|types)$/i;

/** Finds files and folders whose name is not of this domain. */
export function findVagueNames(tree: Tree): string[] {
	const found = Object.keys(tree).flatMap((file) => {
		const parts = file.split("/");
		// A test or a declaration file has two endings: the name ends at the first.
		const at = parts.findIndex((part) => VAGUE.test(part.replace(/(?<=.)\..*$/, "")));
		return at === -1 ? [] : [parts.slice(0, at + 1).join("/")];
	});
	return Array.from(new Set(found), (place) => {
		return `${place}:1 has a name that says nothing: put what it holds where it is used, or name it for the idea`;
	});
}

// Where one person's or one machine's files are. In a `file:` address such a path is an example, and so is Alice's home.
const EXAMPLE = String.raw`(?!(?:alice|bob|user|you|me)\b)`;
const NAME = String.raw`[A-Za-z0-9][\w.-]+`;
const MACHINE_PATH = new RegExp(
	[
		String.raw`(?<![\w.:/~}*-])/(?:home|Users)/${EXAMPLE}${NAME}`,
		String.raw`(?<![\w.:/~}*-])/(?:root|work|tmp|mnt|private/tmp|var/folders)/${NAME}`,
		String.raw`\b[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/)${EXAMPLE}${NAME}`,
	].join("|"),
	"g",
);

/** Finds absolute paths that exist on one machine only. */
export function findMachinePaths(tree: Tree): string[] {
	return Object.entries(tree).flatMap(([file, text]) =>
		Array.from(text.matchAll(MACHINE_PATH), ({ 0: found, index }) => {
			const advice = "make it relative, ask for it (os.tmpdir()), or use an example such as /home/alice";
			return `${file}:${lineAt(text, index)} holds ${found}, which is of one machine only: ${advice}`;
		}),
	);
}
