import { loadLazily } from "../lazy-load.js";
import type { Project } from "./project.js";
import { typescript } from "./typescript.js";

/**
 * A sample project in the list. Only the first sample is part of the page; the others are loaded when the user chooses
 * them.
 */
export interface Sample extends Pick<Project, "name" | "title"> {
	/** Rejects with an error message for the user. */
	readonly load: () => Promise<Project>;
}

export const SAMPLES: readonly [Sample, Sample, ...Sample[]] = [
	{ name: typescript.name, title: typescript.title, load: async () => typescript },
	{
		name: "weather",
		title: "Python: weather station",
		load: () => loadLazily(async () => (await import("./python.js")).python),
	},
	{
		name: "log",
		title: "Rust: log reader",
		load: () => loadLazily(async () => (await import("./rust.js")).rust),
	},
	{
		name: "queue",
		title: "Go: job queue",
		load: () => loadLazily(async () => (await import("./go.js")).go),
	},
];
