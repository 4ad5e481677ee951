import type { HostProcess } from "../host-process.js";
import { ProcessWitness } from "./process-witness.js";

/** The witness of this process. What it writes with is loaded when there is something to write. */
export function witnessHere(
	withCode: boolean,
	tell: (text: string) => void,
	{ env, cwd }: HostProcess,
): ProcessWitness {
	const startedAt = new Date();
	return new ProcessWitness({
		clock: {
			now: Date.now,
			elapsed: () => performance.now(),
			after: (delayMs, run) => {
				// A process that is done does not wait for it.
				const timer = setTimeout(run, delayMs).unref();
				return () => clearTimeout(timer);
			},
		},
		openRing: async () => {
			const [{ RingFile }, { placesOf }] = await Promise.all([import("./ring.js"), import("../config/places.js")]);
			const { requests: folder } = placesOf(env);
			return RingFile.open({ folder, pid: process.pid, startedAt, withCode });
		},
		openKeeper: async () => {
			const { OutcomeFile } = await import("./outcome-file.js");
			return new OutcomeFile({ folder: cwd(), env, pid: process.pid });
		},
		tell,
	});
}
