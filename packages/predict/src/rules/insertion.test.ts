import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { examplesOf, History } from "../index.js";
import { type InsertionSide, insertionsOf, isImport, writeBeside } from "./insertion.js";

/** Makes the drawn edits in order and returns the insertions, each preceded by the number of its first line. */
function insertedIn(...pictures: string[]): [number, ...string[]][] {
	const history = pictures.reduce((before, drawn, version) => {
		const picture = readPicture(drawn);
		const document = { uri: "a.ts", languageId: "typescript", version, text: Text.of(picture.before) };
		const change = Change.of(picture.edits, picture.before.length);
		return before.changed(document, change, { atMs: version * 10_000, isAccepted: false });
	}, History.empty);
	return insertionsOf(examplesOf(history)).map(({ first, lines }) => [first, ...lines]);
}

describe("an insertion", () => {
	test.each([
		["can be a single line", ["a()\n‹→b()\n›c()\n"], [[1, "b()"]]],
		["can be several consecutive lines", ["a()\n‹→b()\nc()\n›d()\n"], [[1, "b()", "c()"]]],
		[
			"is separate from an insertion elsewhere in the file",
			["‹→x()\n›a()\nb()\n‹→y()\n›"],
			[
				[0, "x()"],
				[3, "y()"],
			],
		], // prettier-ignore
		["is a single insertion even if typed in two steps", ["a()\n‹→b()\n›", "a()\nb()\n‹→c()\n›"], [[1, "b()", "c()"]]],
		[
			"is listed after older insertions",
			["a()\nb()\n‹→y()\n›", "‹→x()\n›a()\nb()\ny()\n"],
			[
				[3, "y()"],
				[0, "x()"],
			],
		], // prettier-ignore
	] as const)("%s", (_, pictures, expected) => expect(insertedIn(...pictures)).toEqual(expected));

	test.each([
		["is not a changed line", ["a(‹1→2›)\nb()\n"]],
		["is not a deleted line", ["a()\n‹b()\n→›c()\n"]],
		["is not a line that was inserted and then deleted", ["a()\n‹→b()\n›c()\n", "a()\n‹b()\n→›c()\n"]],
	] as const)("%s", (_, pictures) => expect(insertedIn(...pictures)).toEqual([]));
});

describe("an import", () => {
	test.each([
		["import os"],
		["from os import path"],
		["use std::io;"],
		["    pub use crate::net;"],
		["mod net;"],
		["extern crate serde;"],
		["using System.Text;"],
		["#include <stdio.h>"],
		["# include <stdio.h>"],
		["const fs = require('fs')"],
		['\t"strings"'],
		['\tjson "encoding/json"'],
	])("is %s", (line) => expect(isImport(line)).toBe(true));

	test.each([["important(1)"], ["user(1)"], ["modify(a)"], ["a = required(1)"], ['show("strings")'], ["// import os"]])(
		"is not %s",
		(line) => expect(isImport(line)).toBe(false),
	);
});

describe("inserted lines", () => {
	test.each([
		["below", "  a()\n  b()\n", ["x()"], "  a()\n  x()\n  b()\n"],
		["above", "  a()\n  b()\n", ["x()"], "  x()\n  a()\n  b()\n"],
		["below", "\ta()", ["x()", "", "y()"], "\ta()\n\tx()\n\n\ty()"],
		["above", "\ta()", ["x()", "y()"], "\tx()\n\ty()\n\ta()"],
		["below", "a()\r\nb()\r\n", ["x()"], "a()\r\nx()\r\nb()\r\n"],
		["above", "a()\rb()\r", ["x()"], "x()\ra()\rb()\r"],
	] satisfies [InsertionSide, string, string[], string][])(
		"%s the first line of %j get its indent and line break: %j",
		(side, source, lines, expected) => {
			const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(source) };
			const { edits } = writeBeside(document, 0, side, lines);
			expect(Change.of(edits, source.length).apply(document.text).toString()).toBe(expected);
		},
	);
});
