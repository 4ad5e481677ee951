import { emitKeypressEvents, type Key } from "node:readline";
import type { ReadStream } from "node:tty";
import type { StartTimer } from "@segue/text";

// Terminals that know of it send signs around what is pasted; the others ignore it.
export const PASTING_ON = "\x1b[?2004h";
export const PASTING_OFF = "\x1b[?2004l";

// Nobody who is typing pauses for as long between two letters, and nobody reads a question in less.
const QUIET_MS = 500;

/** The keyboard while a turn runs. What is typed is not shown, and is nobody's answer unless somebody asks for a key. */
export class Keys {
	private listener: { readonly hear: (key: string) => void; readonly giveUp: (reason: unknown) => void } | undefined;
	private isPasting = false;
	private isGone = false;

	constructor(
		private readonly input: ReadStream,
		private readonly output: { write(text: string): unknown },
		/** A terminal that can do nothing but print. */
		private readonly isDumb: boolean,
		private readonly interrupt: () => void,
		private readonly after: StartTimer,
	) {
		if (!isDumb) output.write(PASTING_ON);
		// Whatever ends the process, the terminal is left as it was; its mode is Node's affair.
		process.on("exit", this.restore);
		emitKeypressEvents(input);
		input.setRawMode(true);
		input.on("keypress", this.press);
		input.on("end", this.vanish);
		input.resume();
	}

	/**
	 * Resolves once no key was pressed for a moment: what somebody was still typing when a question came up is no answer to
	 * it. Rejects as `next` does.
	 */
	async quiet(signal: AbortSignal): Promise<void> {
		let callOff = () => {};
		const listening = this.listen<void>(signal, (settle) => {
			const begin = () => {
				callOff();
				callOff = this.after(QUIET_MS, settle);
			};
			begin();
			return begin;
		});
		await listening.finally(() => callOff());
	}

	/** The key that is pressed next. Rejects when the signal is aborted, and when the terminal is gone. */
	next(signal: AbortSignal): Promise<string> {
		return this.listen<string>(signal, (settle) => settle);
	}

	close(): void {
		const { input } = this;
		input.off("keypress", this.press);
		input.off("end", this.vanish);
		input.setRawMode(false);
		process.off("exit", this.restore);
		this.restore();
		input.pause();
	}

	private async listen<Heard>(
		signal: AbortSignal,
		begin: (settle: (heard: Heard) => void) => (key: string) => void,
	): Promise<Heard> {
		signal.throwIfAborted();
		if (this.isGone) throw new Error("The terminal is gone.");
		const abort = () => this.listener?.giveUp(signal.reason);
		signal.addEventListener("abort", abort);
		try {
			return await new Promise<Heard>((settle, giveUp) => {
				this.listener = { hear: begin(settle), giveUp };
			});
		} finally {
			this.listener = undefined;
			signal.removeEventListener("abort", abort);
		}
	}

	private readonly press = (typed: string | undefined, { name, ctrl }: Key): void => {
		if (name === "paste-start") this.isPasting = true;
		else if (name === "paste-end") this.isPasting = false;
		// What somebody copied elsewhere is no answer to what we ask.
		else if (this.isPasting) return;
		else if (ctrl === true && name === "c") this.interrupt();
		else this.listener?.hear(typed ?? name ?? "");
	};

	private readonly restore = (): void => {
		if (!this.isDumb) this.output.write(PASTING_OFF);
	};

	private readonly vanish = (): void => {
		this.isGone = true;
		this.listener?.giveUp(new Error("The terminal is gone."));
		this.interrupt();
	};
}
