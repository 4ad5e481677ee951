import type { Tool } from "./tool.js";

/** What a turn may do: answer, change things, or make a plan. */
export type Mode = "ask" | "edit" | "plan";

/** Tools that leave everything as it is. */
const READING: readonly Tool["kind"][] = ["read", "search", "fetch", "think"];

export function toolsIn(mode: Mode, tools: readonly Tool[]): readonly Tool[] {
	return mode === "edit" ? tools : tools.filter((tool) => READING.includes(tool.kind));
}

/** For the model. */
export const MODES: Readonly<Record<Mode, string>> = {
	ask: "The user has a question. You can look at things and change nothing.",
	edit: "Do what the user asks for with the tools that you have.",
	plan: "Work out a plan: look at what there is, then write the plan down with update_plan and explain it. You can change nothing.",
};
