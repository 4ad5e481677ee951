import { type ChildProcess, fork } from "node:child_process";
import type { Times } from "./contender.js";

/** The two processes of a contender: the editor, and the agent that it starts. */
export class Pair {
	private readonly editor: ChildProcess;

	constructor(private readonly file: string) {
		this.editor = fork(file, { execArgv: [] });
	}

	measure(): Promise<Times> {
		return new Promise((resolve, reject) => {
			const onExit = () => reject(new Error(`${this.file} ended while it measured`));
			this.editor.once("exit", onExit);
			this.editor.once("message", (times) => {
				this.editor.off("exit", onExit);
				resolve(times as Times);
			});
			this.editor.send("measure");
		});
	}

	stop(): void {
		this.editor.disconnect();
	}
}
