import { emitKeypressEvents, type Key } from "node:readline";
import type { ReadStream } from "node:tty";
import type { StartTimer } from "@segue/text";

// Bracketed paste: terminals that support it mark pasted text, and other terminals ignore the request.
export const PASTING_ON = "\x1b[?2004h";
export const PASTING_OFF = "\x1b[?2004l";

// Longer than the pause between two typed letters, but shorter than it takes to read a question.
const QUIET_MS = 500;

const TERMINAL_CLOSED = "The terminal was closed.";

/**
 * Reads the keyboard during a turn. Typed keys are not echoed, and are ignored unless a question is waiting for one.
 */
export class Keys {
	private listener: { readonly press: (key: string) => void; readonly giveUp: (reason: unknown) => void } | undefined;
	private isPasting = false;
	private isGone = false;

	constructor(
		private readonly input: ReadStream,
		private readonly output: { write(text: string): unknown },
		/** Whether the terminal is dumb: it supports no escape sequences. */
		private readonly isDumb: boolean,
		private readonly interrupt: () => void,
		private readonly after: StartTimer,
	) {
		if (!isDumb) output.write(PASTING_ON);
		// Restore the terminal however the process ends. Node restores the raw mode itself.
		process.on("exit", this.restore);
		emitKeypressEvents(input);
		input.setRawMode(true);
		input.on("keypress", this.press);
		input.on("end", this.vanish);
		input.resume();
	}

	/**
	 * Resolves after a short time without keys, so that keys typed before the question appeared don't answer it. Rejects
	 * in the same cases as `next`.
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

	/** Resolves to the next key. Rejects if the signal is aborted or the terminal is closed. */
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

	private async listen<Result>(
		signal: AbortSignal,
		begin: (settle: (result: Result) => void) => (key: string) => void,
	): Promise<Result> {
		signal.throwIfAborted();
		if (this.isGone) throw new Error(TERMINAL_CLOSED);
		const abort = () => this.listener?.giveUp(signal.reason);
		signal.addEventListener("abort", abort);
		try {
			return await new Promise<Result>((settle, giveUp) => {
				this.listener = { press: begin(settle), giveUp };
			});
		} finally {
			this.listener = undefined;
			signal.removeEventListener("abort", abort);
		}
	}

	private readonly press = (typed: string | undefined, { name, ctrl }: Key): void => {
		if (name === "paste-start") this.isPasting = true;
		else if (name === "paste-end") this.isPasting = false;
		// Pasted text does not answer a question.
		else if (this.isPasting) return;
		else if (ctrl === true && name === "c") this.interrupt();
		else this.listener?.press(typed ?? name ?? "");
	};

	private readonly restore = (): void => {
		if (!this.isDumb) this.output.write(PASTING_OFF);
	};

	private readonly vanish = (): void => {
		this.isGone = true;
		this.listener?.giveUp(new Error(TERMINAL_CLOSED));
		this.interrupt();
	};
}
