import { readPicture, readStory, readStoryFile, type StoryStep } from "@segue/story";
import { Change, type Edit, Text } from "@segue/text";

/** A sequence of keys that a user types in one document. */
export interface TypingPlan {
	/** Also used as the seed for the simulation's random delays and mistakes. */
	readonly title: string;
	readonly path: string;
	/** The text before the first key. */
	readonly start: string;
	readonly keys: readonly Key[];
}

/** One key press: the edit it makes, and the text after that edit. */
interface Key {
	readonly edit: Edit;
	readonly text: string;
	/** Index of the location where the key is typed. Keys at the same location are typed without a pause. */
	readonly place: number;
}

/** Returns a plan that types the drawn edits one after another. */
function planOf(path: string, title: string, drawn: string): TypingPlan {
	const { before, edits } = readPicture(drawn);
	return { title, path, start: before, keys: keysOf([edits], before) };
}

/**
 * Returns plans that type the user's edits and the accepted suggestions in each story in a file. Skips stories with
 * several files and stories without edits.
 */
export function plansOfStories(markdown: string): TypingPlan[] {
	return readStoryFile(markdown).flatMap(({ title, source }) => planOfStory(title, source) ?? []);
}

function planOfStory(title: string, source: string): TypingPlan | undefined {
	const { steps } = readStory(source);
	const drawn = steps.filter((step) => "picture" in step);
	const [first] = drawn;
	if (first === undefined || drawn.some((step) => step.verb === "file" || step.path !== first.path)) return undefined;
	const changes = steps.flatMap((step, i) => editsOf(step, steps[i + 1]));
	const keys = keysOf(changes, first.picture.before);
	return keys.length === 0 ? undefined : { title, path: first.path, start: first.picture.before, keys };
}

function editsOf(step: StoryStep, next: StoryStep | undefined): (readonly Edit[])[] {
	if (step.verb === "user" || step.verb === "user types") return [step.picture.edits];
	return step.verb === "suggests" && next?.verb === "user accepts" ? [step.picture.edits] : [];
}

function keysOf(changes: readonly (readonly Edit[])[], start: string): Key[] {
	const keys: Key[] = [];
	let text = Text.of(start);
	let place = 0;
	for (const edits of changes) {
		let shift = 0;
		for (const edit of Change.of(edits, text.length).edits) {
			let [from, to] = [edit.from + shift, edit.to + shift];
			// The first key replaces the old text. A line end or a surrogate pair counts as one key.
			for (const insert of edit.insert === "" ? [""] : (edit.insert.match(/\r\n|./gsu) ?? [])) {
				text = text.replace(from, to, insert);
				keys.push({ edit: { from, to, insert }, text: text.toString(), place });
				from += insert.length;
				to = from;
			}
			shift += edit.insert.length - (edit.to - edit.from);
			place++;
		}
	}
	return keys;
}

/** A dozen typical editing tasks. */
export const TYPING_PLANS: readonly TypingPlan[] = [
	planOf(
		"area.ts",
		"A function is written from its name on",
		"export function area(‹→width: number, height: number): number {\n⇥return width * height;\n}›\n",
	),
	planOf(
		"users.ts",
		"A loop becomes a filter",
		"const active = ‹[];\nfor (const user of users) {\n⇥if (user.isActive) active.push(user);\n}→users.filter((user) => user.isActive);›\n\nshow(active‹→.toSorted(byName)›);\n",
	),
	planOf(
		"queue.py",
		"A class gets two methods",
		"class Queue:\n    def __init__(self):\n        self.items = []\n‹→\n    def push(self, item):\n        self.items.append(item)\n\n    def pop(self):\n        return self.items.pop(0)\n›\nqueue = Queue()\n",
	),
	planOf(
		"server.go",
		"Errors are looked at",
		'conn, err := net.Dial("tcp", address)\n‹→if err != nil {\n⇥return fmt.Errorf("dial %s: %w", address, err)\n}\n›\nreply, err := read(conn)\n‹→if err != nil {\n⇥return fmt.Errorf("read from %s: %w", address, err)\n}\n›return show(reply)\n',
	),
	planOf(
		"config.ts",
		"Options get their defaults",
		'export function open(path: string, options: Options‹→ = {}›) {\n⇥const { retries‹→ = 3›, timeoutMs‹→ = 1000›, encoding‹→ = "utf-8"› } = options;\n⇥return read(path, retries, timeoutMs, encoding);\n}\n',
	),
	planOf(
		"cart.test.ts",
		"A test is written after another",
		'test("adds up prices", () => {\n⇥expect(total([one, two])).toBe(3);\n});\n‹→\ntest("is nothing without items", () => {\n⇥expect(total([])).toBe(0);\n});\n›\nfunction total(items: Item[]) {}\n',
	),
	planOf(
		"point.rs",
		"A field is added wherever there are the others",
		"struct Point {\n    x: f64,\n    y: f64,\n‹→    z: f64,\n›}\n\nimpl Point {\n    fn length(&self) -> f64 {\n        (self.x * self.x + self.y * self.y‹→ + self.z * self.z›).sqrt()\n    }\n}\n",
	),
	planOf(
		"page.html",
		"A list gets its items",
		'<ul class="menu">\n  <li><a href="/">Home</a></li>\n‹→  <li><a href="/about">About</a></li>\n  <li><a href="/contact">Contact</a></li>\n›</ul>\n',
	),
	planOf(
		"query.sql",
		"A query is narrowed down",
		"SELECT name‹→, email, created_at›\nFROM users\n‹→WHERE is_active = true AND created_at > now() - interval '30 days'\n›ORDER BY name‹→ DESC LIMIT 100›;\n",
	),
	planOf(
		"fetch.ts",
		"Promises are awaited instead of chained",
		"export ‹→async ›function load(url: string) {\n⇥‹return fetch(url).then((response) => response.json());→const response = await fetch(url);\n⇥if (!response.ok) throw new Error(response.statusText);\n⇥return await response.json();›\n}\n",
	),
	planOf(
		"notes.md",
		"A paragraph is written",
		"# Notes\n\n‹→Every suggestion has a reason, and the user can always look it up.\nFeedback is stored on this machine only.\n›\n## Later\n",
	),
	planOf(
		"Main.java",
		"A getter and a setter are written",
		"public class Account {\n    private long balance;\n‹→\n    public long getBalance() {\n        return balance;\n    }\n\n    public void setBalance(long balance) {\n        this.balance = balance;\n    }\n›}\n",
	),
];
