import type { Api } from "../settings.js";
import { anthropic } from "./wires/anthropic.js";
import { inception } from "./wires/inception.js";
import { llamaCpp } from "./wires/llamacpp.js";
import { mistral } from "./wires/mistral.js";
import { ollama } from "./wires/ollama.js";
import { openAi } from "./wires/openai.js";
import { sweep } from "./wires/sweep.js";
import type { Wire } from "./wires/wire.js";

/** How each API is asked. */
export const WIRES: Readonly<Record<Api, Wire>> = {
	openai: openAi,
	anthropic,
	ollama,
	llamacpp: llamaCpp,
	mistral,
	inception,
	sweep,
};
