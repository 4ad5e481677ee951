import type { ChatEvent } from "./event.js";

/**
 * The events of an answer between two times that they are taken. What comes at once is joined: a text in ten pieces is one
 * event. The two halves of a surrogate pair are never in two events, because half of one cannot be written to a file.
 */
export class Gathering {
	private events: ChatEvent[] = [];
	/** The text or thought that goes on. */
	private run = "";
	private runType: "text" | "thought" = "text";

	text(text: string): void {
		if (this.runType !== "text") this.endRun();
		this.runType = "text";
		this.run += text;
	}

	thought(text: string): void {
		if (this.runType !== "thought") this.endRun();
		this.runType = "thought";
		this.run += text;
	}

	/** Ends a thought. */
	sign(signature: string): void {
		const text = this.runType === "thought" ? this.run : "";
		if (this.runType === "text") this.endRun();
		this.run = "";
		this.events.push({ type: "thought", text, signature });
	}

	/** Adds what is neither text nor thought. */
	add(event: ChatEvent): void {
		this.endRun();
		this.events.push(event);
	}

	/** Whether there is anything to take, now or later. */
	get isHolding(): boolean {
		return this.run !== "" || this.events.length > 0;
	}

	/** What came since the last time. */
	take(): readonly ChatEvent[] {
		if (this.run !== "") {
			const last = this.run.charCodeAt(this.run.length - 1);
			const held = last >= 0xd800 && last < 0xdc00 ? this.run.slice(-1) : "";
			this.run = held === "" ? this.run : this.run.slice(0, -1);
			this.endRun();
			this.run = held;
		}
		const taken = this.events;
		this.events = [];
		return taken;
	}

	private endRun(): void {
		if (this.run === "") return;
		this.events.push(
			this.runType === "text"
				? { type: "text", text: this.run }
				: { type: "thought", text: this.run, signature: undefined },
		);
		this.run = "";
	}
}
