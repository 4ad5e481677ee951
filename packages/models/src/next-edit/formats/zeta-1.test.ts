import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { zeta1 } from "./zeta-1.js";

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;

test("the prompt contains instructions, edits, and an excerpt with a region", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	expect(new FormatRequest(zeta1, readPromptInput(SCENE, { edits })).question.ask).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "### Instruction:
		You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the user provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.

		### User Edits:

		User edited src/item.ts:
		\`\`\`diff
		@@ -1,3 +1,3 @@
		 export interface Item {
		-	price: string;
		+	price: number;
		 }

		\`\`\`

		User edited src/total.ts:
		\`\`\`diff
		@@ -1,5 +1,5 @@
		 export function total(items: Item[]) {
		-	let s = 0;
		+	let sum = 0;
		 	for (const item of items) s += item.price;
		 	return s;
		 }

		\`\`\`

		### User Excerpt:

		\`\`\`src/total.ts
		<|start_of_file|>
		<|editable_region_start|>
		export function total(items: Item[]) {
			let sum<|user_cursor_is_here|> = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|editable_region_end|>
		\`\`\`

		### Response:
		",
		  "stop": [
		    "<|editable_region_end|>",
		  ],
		  "temperature": 0,
		  "tokensMax": 2048,
		}
	`);
});

const START = "<|editable_region_start|>\n";
const END = "\n<|editable_region_end|>";
const PLACE = "one();\ntwo(▮);\n";
const NEW = "one();\ntwo(2);\n";
const CHANGED = "one();\ntwo(‹→2›);\n";

test.each([
	["between its marks", `${START}${NEW}${END}`, CHANGED],
	["without the second mark", `${START}${NEW}\n`, CHANGED],
	["without marks", NEW, CHANGED],
	["with the cursor mark", `${START}${NEW.replace("2", "2<|user_cursor_is_here|>")}${END}`, CHANGED],
	["after prose and a fence", `Here it is:\n\`\`\`src/total.ts\n${START}${NEW}${END}\n\`\`\``, CHANGED],
	["with text after the second mark", `${START}${NEW}${END}\n\`\`\`\nI renamed it.`, CHANGED],
	["that is empty", "", "no-edit"],
	["with marks in the wrong order", `${END}\n${NEW}${START}`, "unreadable-answer"],
])("reads a reply %s", (_, reply, expected) => {
	expect(new FormatRequest(zeta1, readPromptInput(PLACE)).readAnswer(reply)).toBe(expected);
});

test("a repeated mark stays in the edit, and the gate rejects it", () => {
	expect(new FormatRequest(zeta1, readPromptInput(PLACE)).readAnswer(`${START}${START}${NEW}${END}`)).toBe(
		`‹→<|editable_region_start|>\n›${CHANGED}`,
	);
});

test("no hunk is final before the first mark", () => {
	const request = new FormatRequest(zeta1, readPromptInput("one(▮);\ntwo();\nsix();\nten();"));
	expect(request.readPartial("one(1);\ntwo();\nsix();\n")).toBe("one();\ntwo();\nsix();\nten();");
	expect(request.readPartial(`${START}one(1);\ntwo();\nsix();\n`)).toBe("one(‹→1›);\ntwo();\nsix();\nten();");
});

test("the start of the file is marked only if it is shown", () => {
	const lines = Array.from({ length: 200 }, (_, i) => `const line${i} = ${i};`);
	const at = (line: number) => new FormatRequest(zeta1, readPromptInput(lines.with(line, "▮").join("\n"))).prompt;
	expect(at(3)).toContain("```src/total.ts\n<|start_of_file|>\n");
	expect(at(100)).not.toContain("<|start_of_file|>");
});
