import type { Conversation } from "./conversation.js";

/** What can be chosen for a chat, as the agent names it: the model among it. */
export function ChatOptions({ conversation }: { conversation: Conversation }) {
	return (
		<>
			{conversation.options.value.map(
				(option) =>
					option.type === "select" && (
						<label key={option.id} class="option">
							<span>{option.name}</span>
							<select
								value={option.currentValue}
								onChange={({ currentTarget }) => void conversation.choose(option.id, currentTarget.value)}
							>
								{option.options.map(
									(each) =>
										"value" in each && (
											<option key={each.value} value={each.value}>
												{each.name}
											</option>
										),
								)}
							</select>
						</label>
					),
			)}
		</>
	);
}
