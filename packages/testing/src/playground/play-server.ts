import { randomUUID } from "node:crypto";
import { Home } from "../process/home.js";
import { SegueProcess } from "../process/segue-process.js";

/** `segue serve` as a process on a free port, with an empty home and project. */
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

	/** Restarts the server at the same address, with the same token or a different one. */
	async restart(token = this.token): Promise<void> {
		this.process.kill("SIGTERM");
		await this.process.ended;
		this.token = token;
		this.process = serve(this.home, new URL(this.origin).port, this.token);
		await this.process.until(`Segue is at ${this.origin}/`);
	}

	/** The address to open in a browser. */
	get address(): string {
		return `${this.origin}/#token=${this.token}`;
	}

	/** The server's standard error. */
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
