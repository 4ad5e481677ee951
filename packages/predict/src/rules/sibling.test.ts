import { PredictorPlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { describe } from "vitest";
import { proposeSiblings } from "./sibling.js";

const story = storiesOn(() => new PredictorPlayer(proposeSiblings));

describe("a line inserted next to another", () => {
	story(
		"is inserted next to an equal line, if the lines around it are equal too",
		`
		--- user
		set(name, {
		  path: root,
		  age: 10,
		‹→  secure: true,▮
		›})
		get()
		  set(name, {
		    path: root,
		    age: 10,
		  })
		--- suggests (Inserting \`secure: true,\` below similar lines: 1 more in this file)
		set(name, {
		  path: root,
		  age: 10,
		  secure: true,
		})
		get()
		  set(name, {
		    path: root,
		    age: 10,‹→
		    secure: true,▮›
		  })
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is adapted to its anchor after two insertions",
		`
		--- user main.go
		func (s *Server) Get(w Writer) {
		‹→⇥s.count("get")▮
		›⇥s.serve(w)
		}
		func (s *Server) Put(w Writer) {
		⇥s.serve(w)
		}
		func (s *Server) Head(w Writer) {
		⇥s.serve(w)
		}

		--- suggests nothing (nothing-found)
		--- user
		func (s *Server) Get(w Writer) {
		⇥s.count("get")
		⇥s.serve(w)
		}
		func (s *Server) Put(w Writer) {
		‹→⇥s.count("put")▮
		›⇥s.serve(w)
		}
		func (s *Server) Head(w Writer) {
		⇥s.serve(w)
		}

		--- suggests
		func (s *Server) Get(w Writer) {
		⇥s.count("get")
		⇥s.serve(w)
		}
		func (s *Server) Put(w Writer) {
		⇥s.count("put")
		⇥s.serve(w)
		}
		func (s *Server) Head(w Writer) {‹→
		⇥s.count("head")▮›
		⇥s.serve(w)
		}

	`,
	);

	story(
		"is inserted in another file, with the line breaks of that file",
		`
		--- file b.ts
		open(path)␍
		read(path, all)␍
		close(path)␍

		--- user a.ts
		open(path)
		read(path, all)
		‹→log(path)▮
		›close(path)

		--- suggests b.ts
		open(path)␍
		read(path, all)‹→␍
		log(path)▮›␍
		close(path)␍

	`,
	);

	story(
		"is not inserted next to a single equal line",
		`
		--- user
		const app = create()
		‹→app.secure()▮
		›app.listen(80)
		const app = create()
		app.listen(443)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted where it already exists",
		`
		--- user
		open(path)
		read(path, all)
		‹→log(path)▮
		›close(path)
		open(path)
		read(path, all)
		log(path)
		close(path)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted where a line with the same beginning exists",
		`
		--- user
		open(path)
		read(path, all)
		‹→log(path, all)▮
		›close(path)
		done()
		open(path)
		read(path, all)
		log(path, one)
		close(path)
		done()
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted after only one insertion if the next line differs",
		`
		--- user
		start()
		open(path)
		read(path, all)
		‹→log(path, all)▮
		›close(path)
		other()
		start()
		open(path)
		read(path, all)
		drop(path)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted in a comment that contains the same lines",
		`
		--- user
		start()
		open(path)
		read(path, all)
		‹→log(path, all)▮
		›close(path)
		/*
		start()
		open(path)
		read(path, all)
		close(path)
		*/
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted where the user has edited",
		`
		--- user
		open(path)
		read(path, all)
		close(path)
		open(path)
		read(path, ‹all→one▮›)
		close(path)
		--- user
		open(path)
		read(path, all)
		‹→log(path)▮
		›close(path)
		open(path)
		read(path, ‹one→all›)
		close(path)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted if its brackets are unbalanced",
		`
		--- user
		open(path)
		read(path, all)
		‹→if (all) {▮
		›close(path)
		open(path)
		read(path, all)
		close(path)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not inserted if it is an import",
		`
		--- file b.py
		import os
		import re
		import sys
		--- user a.py
		import os
		import re
		‹→import json▮
		›import sys
		--- suggests nothing (nothing-found)
	`,
	);
});

describe("a new name next to an old one", () => {
	story(
		"is added to the next list, in the case style of each word",
		`
		--- user main.rs
		enum Color {
		    Red,
		    Green,
		‹→    Blue,▮
		›}
		match color {
		    Color::Red => "red",
		    Color::Green => "green",
		}
		--- suggests (Adding \`Blue\` next to \`Green\`: 1 more in this file)
		enum Color {
		    Red,
		    Green,
		    Blue,
		}
		match color {
		    Color::Red => "red",
		    Color::Green => "green",‹→
		    Color::Blue => "blue",▮›
		}
		--- user accepts
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is added in another file",
		`
		--- file b.py
		load(
		    name=name,
		    size=size,
		)
		--- user a.py
		save(
		    name=name,
		    size=size,
		‹→    kind=kind,▮
		›)
		--- suggests b.py
		load(
		    name=name,
		    size=size,‹→
		    kind=kind,▮›
		)
	`,
	);

	story(
		"is added above the old name if the user added it above",
		`
		--- user
		reset(
		‹→  left,▮
		›  right,
		  top,
		)
		draw(
		  right,
		  top,
		)
		--- suggests
		reset(
		  left,
		  right,
		  top,
		)
		draw(
		‹→  left,
		▮›  right,
		  top,
		)
	`,
	);

	story(
		"is not added next to a single name",
		`
		--- user
		const all = [
		  red,
		  green,
		‹→  blue,▮
		›]
		paint(green)
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not added if it is already nearby",
		`
		--- user
		const all = [
		  red,
		  green,
		‹→  blue,▮
		›]
		const some = [
		  blue,
		  red,
		  green,
		]
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not added to imports",
		`
		--- user main.rs
		use std::fs;
		use std::io;
		‹→use std::env;▮
		›fn main() {
		    log(io);
		    log(fs);
		}
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"is not added in comments",
		`
		--- user
		const all = [
		  red,
		  green,
		‹→  blue,▮
		›]
		// red,
		// green,
		--- suggests nothing (nothing-found)
	`,
	);
});
