import type { AssistOptions } from "../assist.js";
import type { McpServers } from "../mcp/servers.js";
import type { McpStatus } from "../mcp/status.js";
import type { Tool } from "../tools/tool.js";
import { planTool } from "../tools/user.js";
import { readAttachments } from "./attachments.js";
import { adviceIn, instructionsFor } from "./instructions.js";
import { type Mode, toolsIn } from "./settings.js";
import type { EndReason } from "./thread.js";
import { Turn } from "./turn.js";
import type { TurnContext } from "./turn-context.js";

/** Has a model answer in a turn. `begin` is called when the prompt is written down, before the model gets it. */
export async function askModel(
	begun: TurnContext,
	{ models, store, newId, now }: Pick<AssistOptions, "models" | "store" | "newId" | "now">,
	servers: McpServers,
	board: McpStatus,
	begin: () => Promise<void>,
): Promise<EndReason> {
	const { thread, id, parts, client, options, state: work, scope, record, steering } = begun;
	const before = await store.entries(thread.id);
	const model = models.choose(options.model ?? work.model);
	const gathered = await readAttachments(parts, "why" in model ? false : model.takesImages, scope);
	if ("why" in model) {
		await record.add({ type: "prompt", parts: gathered.parts });
		await begin();
		await record.add({ type: "notice", level: "warning", text: model.why });
		return "failed";
	}
	await record.add({ type: "prompt", parts: gathered.parts, model: model.name });
	await begin();
	for (const text of gathered.notices) await record.add({ type: "notice", level: "warning", text });
	const mode = options.mode ?? "edit";
	scope.signal.throwIfAborted();
	const turn = new Turn({
		id,
		model,
		effort: options.effort,
		instructions: instructionsFor({ folders: work.folders, mode, today: now(), platform: process.platform }),
		advice: await adviceIn(scope),
		tools: await toolsOf(begun, mode, servers, board),
		before,
		record,
		approvals: work.approvals,
		client,
		gauge: work.gauge,
		steering,
		scope,
		newId,
	});
	return turn.run();
}

/** Ours, those of MCP servers, and the plan, as far as the mode allows. */
async function toolsOf(
	{ options, thread, scope, tools, record }: TurnContext,
	mode: Mode,
	servers: McpServers,
	board: McpStatus,
): Promise<readonly Tool[]> {
	// Nobody knows what the tools of a server do, so only a turn that may change things has them.
	const offered = mode === "edit" ? [...board.offered, ...(options.mcpServers ?? [])] : [];
	const { tools: others, problems } = await servers.toolsOf(offered, thread, scope.signal);
	for (const text of problems) await record.add({ type: "notice", level: "warning", text });
	const plan = planTool(async (steps) => {
		await record.add({ type: "plan", steps });
	});
	return [...toolsIn(mode, [...tools, ...others]), ...(mode === "ask" ? [] : [plan])];
}
