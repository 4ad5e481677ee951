import { languageOf } from "@segue/text";
import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/features/register.all.js";
import "monaco-editor/languages/definitions/register.all.js";
import { MonacoSegue, type MonacoSegueOptions, serverAgent, workerAgent } from "@segue/monaco";

/** The page's globals, for the tests. */
interface MonacoDemo {
	readonly monaco: typeof monaco;
	readonly editor: monaco.editor.IStandaloneCodeEditor;
	/** The sentences that the plugin reported. */
	readonly notices: string[];
	segue: MonacoSegue;
	/** Opens a file of the project in the editor. */
	open(path: string, text: string): void;
	/** Creates another editor that shows a file. */
	split(path: string): monaco.editor.IStandaloneCodeEditor;
	/** Starts the plugin again with other options. */
	restart(options: Partial<MonacoSegueOptions>): void;
	readonly serverAgent: typeof serverAgent;
	readonly workerAgent: typeof workerAgent;
	/** The workers of the agents that were started. */
	readonly workers: Worker[];
	/** The number of requests for suggestions. */
	requests: number;
}

declare global {
	interface Window {
		demo: MonacoDemo;
		MonacoEnvironment: monaco.Environment;
	}
}

const ROOT = "file:///project";

window.MonacoEnvironment = { getWorker: () => new Worker("editor.worker.js", { type: "module" }) };

const notices: string[] = [];
const workers: Worker[] = [];
const editors: monaco.editor.IStandaloneCodeEditor[] = [];

const look = new URLSearchParams(location.search);

function createEditor(): monaco.editor.IStandaloneCodeEditor {
	const container = document.createElement("div");
	document.body.append(container);
	const editor = monaco.editor.create(container, {
		model: null,
		theme: look.get("theme") ?? "vs",
		automaticLayout: true,
		minimap: { enabled: false },
		// Stories are typed key by key, and nothing else may be inserted.
		autoClosingBrackets: "never",
		autoClosingQuotes: "never",
		autoIndent: "none",
		quickSuggestions: false,
		suggestOnTriggerCharacters: false,
		wordBasedSuggestions: "off",
	});
	editors.push(editor);
	return editor;
}

const connect = workerAgent(() => {
	const worker = new Worker("agent-worker.js", { type: "module" });
	workers.push(worker);
	return worker;
});

function start(options: Partial<MonacoSegueOptions> = {}): MonacoSegue {
	const segue = new MonacoSegue(monaco, {
		connect: async () => {
			const channel = await connect();
			const send = channel.send.bind(channel);
			channel.send = (text) => {
				if (JSON.parse(text).method === "nes/suggest") window.demo.requests++;
				send(text);
			};
			return channel;
		},
		folders: [ROOT],
		report: (sentence) => notices.push(sentence),
		...options,
	});
	for (const editor of editors) segue.attach(editor);
	return segue;
}

function uriOf(path: string): monaco.Uri {
	return monaco.Uri.parse(`${ROOT}/${path}`);
}

const editor = createEditor();

window.demo = {
	...{ monaco, editor, notices, workers, serverAgent, workerAgent },
	requests: 0,
	segue: start(),
	open: (path, text) => {
		const uri = uriOf(path);
		editor.setModel(monaco.editor.getModel(uri) ?? monaco.editor.createModel(text, languageOf(path), uri));
		editor.focus();
	},
	split: (path) => {
		const other = createEditor();
		other.setModel(monaco.editor.getModel(uriOf(path)));
		window.demo.segue.attach(other);
		return other;
	},
	restart: (options) => {
		window.demo.segue.dispose();
		window.demo.segue = start(options);
	},
};
