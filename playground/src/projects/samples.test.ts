import { expect, test } from "vitest";
import { go } from "./go.js";
import { python } from "./python.js";
import { rust } from "./rust.js";
import { SAMPLES } from "./samples.js";
import { typescript } from "./typescript.js";

test("lists the samples with their names and titles", () => {
	const listed = SAMPLES.map(({ name, title }) => [name, title]);
	expect(listed).toEqual([typescript, python, rust, go].map(({ name, title }) => [name, title]));
});
