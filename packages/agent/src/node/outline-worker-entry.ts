import { parentPort } from "node:worker_threads";
import { serveOutlines } from "../outline/outline-tasks.js";
import { Parsers } from "../outline/parser.js";
import { installedGrammars } from "./grammar-files.js";

if (parentPort === null) throw new Error("this file must run in a worker");
const port = parentPort;
port.on(
	"message",
	serveOutlines(new Parsers(installedGrammars), (answer) => {
		const moved = "data" in answer ? [answer.data.scopes, answer.data.declarations, answer.data.names] : [];
		port.postMessage(
			answer,
			moved.map(({ buffer }) => buffer as ArrayBuffer),
		);
	}),
);
