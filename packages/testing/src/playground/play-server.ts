import { randomUUID } from "node:crypto";
import { Home } from "../process/home.js";
import { SegueProcess } from "../process/segue-process.js";

/** `segue serve` in a process of its own, on a port that is free, for a user who has nothing but a project. */
export class PlayServer implements AsyncDisposable {
	private constructor(
		private process: SegueProcess,
		readonly home: Home,
		readonly origin: string,
		public token: string,
	) {}

	static async start(): Promise<PlayServer> {
		const home = new Home();
		const token = randomUUID();
		const segue = serve(home, "0", token);
		const { 1: origin = "" } = await segue.until(/Segue is at (http:\/\/[\d.:]+)\//);
		return new PlayServer(segue, home, origin, token);
	}

	/** Stops the server and starts it again at the same address, with the same token or another. */
	async restart(token = this.token): Promise<void> {
		this.process.kill("SIGTERM");
		await this.process.ended;
		this.token = token;
		this.process = serve(this.home, new URL(this.origin).port, this.token);
		await this.process.until(`Segue is at ${this.origin}/`);
	}

	/** What a person opens. */
	get address(): string {
		return `${this.origin}/#token=${this.token}`;
	}

	/** What it has told the person who started it. */
	get log(): string {
		return this.process.stderr;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.process.kill("SIGTERM");
		await this.process.ended;
		this.home[Symbol.dispose]();
	}
}

function serve(home: Home, port: string, token: string): SegueProcess {
	const args = ["serve", "--port", port, "--token", token];
	return new SegueProcess(args, { folder: home.project, env: { SEGUE_HOME: home.home } });
}
