// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of programs
import { getIndentation, indentUnit, type Language, language } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { highlightTree } from "@lezer/highlight";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CLASSES, colouring, loadSyntaxes } from "./colouring.js";

beforeAll(loadSyntaxes);

const IDS = { script: "typescript", jsx: "typescriptreact", python: "python", rust: "rust", go: "go" };
type Name = keyof typeof IDS;
const NAMES = Object.keys(IDS) as Name[];

/** The letter for each colour in a drawing: `‹const k› ‹x d› = ‹1 n›`. */
const LETTERS: Readonly<Record<string, string>> = {
	"tok-keyword": "k",
	"tok-atom": "a",
	"tok-typeName": "t",
	"tok-comment": "c",
	"tok-string": "s",
	"tok-number": "n",
	"tok-meta": "m",
	"tok-function": "f",
	"tok-definition": "d",
};

describe("colours", () => {
	test.each<[Name, string]>([
		["script", "‹const k› ‹total d›: ‹number t› = ‹sum f›(‹1_000.5e3 n›, ‹0xff n›); ‹// done c›"],
		["script", "‹let k› ‹a d› = ‹null a›, b = x / y / z"],
		["script", "‹export k› ‹function k› ‹addAll f›(‹cart d›: ‹Cart t›, ‹items d›?: ‹Item t›[]): ‹void k› {"],
		["script", "‹class k› ‹Shop t› ‹extends k› ‹Place t› { ‹readonly k› ‹name d›: ‹string t› }"],
		["script", "‹type k› ‹Name t› = ‹Map t›<‹string t›, ‹Item t›>; ‹const k› ‹type d› = ‹1 n›"],
		["script", "a.‹default f›(); a.of; ‹log f›({ ‹in d›: ‹true a›, ‹of d›: MAX })"],
		["script", "‹switch k› (a) { ‹default k›: ‹return k› ‹/[/]\\/x/gi s›.‹test f›(b) }"],
		["script", "‹`a s›${‹f f›({ ‹b d›: ‹`x s›${c}‹` s› })}‹ d\\` s›\n‹e` s› + ‹1 n›"],
		["script", "‹/* one c›\n‹two */ c› a ‹'it\\'s' s›"],
		["script", "‹\"open s›\na ‹'on\\ s›\n‹still' s› b"],
		["script", "‹@sealed m› ‹class k› ‹A t› { ‹get k› ‹size f›() { ‹return k› ‹this k›.n } }"],
		["script", '‹for k› (‹const k› ‹x d› ‹of k› xs) ‹import k› { y } ‹from k› ‹"y" s›'],
		["script", '(<‹div t›><‹Item t› class=‹"b" s› /></‹div t›>) a < b && c<d && e'],
		["jsx", '(<‹div t›><‹Item t› class=‹"b" s› {...c}>‹it is s›{‹d f›(‹1 n›)}</‹Item t›></‹div t›>) a < b && c<d && e'],
		["python", "‹@dataclass m›\n‹class k› ‹Reading t›:\n    ‹place d›: ‹str t› = ‹None a›"],
		["python", "‹def k› ‹mean f›(‹vals d›: ‹list t›, b=‹0.5 n›): ‹# of all c›"],
		["python", '‹"""one s›\n‹it\'s "two" s›\n‹""" s› a ‹r\'\\d\' s›'],
		["python", "‹f\"a s›{‹len f›(b):x}‹ {{c}} s›{d}‹\" s› ‹rb'''x''' s›"],
		["python", "‹if k› ‹not k› vals:\n    ‹return k› ‹Reading t›(vals)\n‹else k›: ‹pass k›"],
		["rust", "‹#[derive(Debug)] m›\n‹pub k› ‹struct k› ‹Line t› { ‹pub k› ‹text d›: ‹String t› }"],
		["rust", "‹let k› ‹mut k› ‹n d›: ‹usize t› = ‹0 n›; ‹eprintln! f›(‹\"a s›\n‹b\" s›, ‹' ' s›);"],
		["rust", "‹/* a /* b */ c›\n‹c */ c› ‹fn k› ‹first f›<‹'a t›>(‹x d›: &‹'a t› ‹str t›) -> ‹Option t›<‹u8 t›>"],
		["rust", '‹r#"a "b" s›\n‹c"# s› ‹b\'\\x00\' s› ‹0 n›..‹9 n›'],
		["go", "‹func k› (q *‹Queue t›) ‹Add f›(job ‹Job t›) ‹error t› { ‹return k› ErrTired }"],
		["go", 'fmt.‹Println f›(‹`raw s›\n‹\\ text` s›, ‹"a\\"b" s›, ‹\'x\' s›, ‹nil a›)'],
		["go", "‹type k› ‹Queue t› ‹struct k› {\n\tJobs []‹Job t›\n}\n‹x d›, ‹err d› := ‹Job t›{‹Name d›: y}"],
	])("%s: %s", (name, drawn) => {
		expect(draw(name, textOf(drawn))).toBe(drawn);
	});

	test("reads any text to its end", () => {
		const piece = fc.constantFrom(..."\"'`/*#{}()[]$\\<!@.:;, \n\tabAr0", "${", '"""', "/*", 'r#"', "fn ", "f'");
		fc.assert(
			fc.property(fc.constantFrom(...NAMES), fc.array(piece, { maxLength: 60 }), (name, pieces) => {
				const text = pieces.join("");
				expect(textOf(draw(name, text))).toBe(text);
			}),
		);
	});

	test("reads deep nesting to its end", () => {
		const text = ["`a${(".repeat(300), "/* x", ")}`".repeat(300), "b"].join("\n");
		expect(textOf(draw("script", text))).toBe(text);
	});
});

describe("indentation of the next line", () => {
	test.each<[Name, string, number]>([
		["script", "if (a) {\n▮", 4],
		["script", "if (a) {\n    b()\n▮", 4],
		["script", "if (a) {\n    b()\n▮}", 0],
		["script", "call({\n    a: [\n▮", 8],
		["script", "call({\n    a: 1,\n▮})", 0],
		["script", "} else {\n▮", 4],
		["script", "    f(a)\n▮", 4],
		["script", "a = [`x${\n▮", 4],
		["rust", "match a {\n    B => {\n        c\n    }\n▮", 4],
		["go", "x := map[string]int{\n▮", 4],
		["python", "def f(a):\n▮", 4],
		["python", "def f(a):\n    if a:\n        return 1\n▮", 4],
		["python", "a = f(\n▮", 4],
		["python", "class A:\n    x = {'a': 1}\n▮", 4],
	])("%s: %j, %i spaces in", (name, drawn, spaces) => {
		expect(indentationIn(name, drawn)).toBe(spaces);
	});

	test("is unknown inside a string of several lines", () => {
		expect(indentationIn("script", "a = `\n▮")).toBeNull();
		expect(indentationIn("python", 'a = """\n▮')).toBeNull();
	});
});

function indentationIn(name: Name, drawn: string): number | null {
	const doc = drawn.replace("▮", "");
	return getIndentation(stateOf(doc, name), drawn.indexOf("▮"));
}

function draw(name: Name, text: string): string {
	const tree = (stateOf("", name).facet(language) as Language).parser.parse(text);
	let drawn = "";
	let at = 0;
	highlightTree(tree, CLASSES, (from, to, colour) => {
		drawn += `${text.slice(at, from)}‹${text.slice(from, to)} ${LETTERS[colour]}›`;
		at = to;
	});
	return drawn + text.slice(at);
}

/** Returns the text of a drawing. */
function textOf(drawn: string): string {
	return drawn.replaceAll(/‹([^‹›]*) \w›/g, "$1");
}

function stateOf(doc: string, name: Name): EditorState {
	return EditorState.create({ doc, extensions: [colouring(IDS[name]) ?? [], indentUnit.of("    ")] });
}
