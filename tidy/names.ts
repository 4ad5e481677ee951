import { lineAt, type Tree } from "./tree.js";

/** Names that do not describe the contents, and therefore collect unrelated code. */
const VAGUE = /^(?:.*[-_])?(?:utils?|helpers?|common|misc|manager|service|types)$/i;

/** Finds files and folders with vague names. */
export function findVagueNames(tree: Tree): string[] {
	const found = Object.keys(tree).flatMap((file) => {
		const parts = file.split("/");
		// A test or a declaration file has two extensions, so the name ends at the first dot.
		const at = parts.findIndex((part) => VAGUE.test(part.replace(/(?<=.)\..*$/, "")));
		return at === -1 ? [] : [parts.slice(0, at + 1).join("/")];
	});
	return Array.from(new Set(found), (place) => {
		return `${place}:1 has a vague name: move its contents to where they are used, or name it after its concept`;
	});
}

// Home and temporary folders on a machine. Such a path is an example if it is in a `file:` URI or in Alice's home.
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

/** Finds absolute paths that exist on only one machine. */
export function findMachinePaths(tree: Tree): string[] {
	return Object.entries(tree).flatMap(([file, text]) =>
		Array.from(text.matchAll(MACHINE_PATH), ({ 0: found, index }) => {
			const advice = "make it relative, compute it (os.tmpdir()), or use an example such as /home/alice";
			return `${file}:${lineAt(text, index)} contains ${found}, a machine-specific path: ${advice}`;
		}),
	);
}
