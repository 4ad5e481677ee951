import { type ChatId, eca } from "@segue/protocol/eca";
import { type Handler, on, type Problem } from "@segue/rpc";
import type { EcaChat } from "./chat.js";
import { type EcaChats, refusalOf } from "./chats.js";
import { resultIn } from "./dialect.js";
import type { EcaSession } from "./session.js";

/** What is said in chats, and about what they are doing. */
export function chatHandlers(
	session: EcaSession,
	chats: EcaChats,
	/** Called behind the answer to each prompt. */
	prompted: () => void,
	report: (problem: Problem) => void,
): Handler<"client">[] {
	const settle = (method: string, chatId: ChatId, toolCallId: string, answer: "once" | "session" | "no") => {
		if (chats.named(chatId)?.settle(toolCallId, answer) === true) return;
		report({ kind: "bad-notification", method, text: "no call of this id waits to be approved" });
	};
	const within = (method: string, chatId: ChatId, act: (chat: EcaChat) => void) => {
		const chat = chats.named(chatId);
		if (chat === undefined) report({ kind: "bad-notification", method, text: "no chat of this id is open" });
		else act(chat);
	};
	return [
		on(
			eca.prompt,
			(params, call) => {
				const { chatId } = params;
				call.afterwards(prompted);
				if (chatId == null) return chats.continued().prompt(params, call);
				const why = refusalOf(chatId);
				if (why !== undefined) return resultIn(session.form, chatId, undefined, { kind: "error", why });
				return chats.begin(chatId).prompt(params, call);
			},
			{ isTalk: true },
		),
		on(eca.toolCallApprove, ({ chatId, toolCallId, save }) => {
			settle(eca.toolCallApprove.method, chatId, toolCallId, save === "session" ? "session" : "once");
		}),
		on(eca.toolCallReject, ({ chatId, toolCallId }) => {
			settle(eca.toolCallReject.method, chatId, toolCallId, "no");
		}),
		on(eca.promptStop, ({ chatId }) => within(eca.promptStop.method, chatId, (chat) => chat.cancel())),
		on(eca.promptSteer, ({ chatId, message }) => {
			within(eca.promptSteer.method, chatId, (chat) => {
				if (chat.steer(message)) return;
				report({
					kind: "bad-notification",
					method: eca.promptSteer.method,
					text: "no turn is under way that hears it",
				});
			});
		}),
		on(eca.promptSteerRemove, ({ chatId }) => {
			within(eca.promptSteerRemove.method, chatId, (chat) => chat.unsteer());
		}),
	];
}
