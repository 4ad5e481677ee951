import type * as acp from "@segue/protocol/acp";

/** A select element for each of a session's options, with the agent's names. */
export function Options(props: {
	readonly options: readonly acp.ConfigOption[];
	readonly choose: (id: string, value: string) => Promise<void>;
}) {
	return (
		<>
			{props.options.map(
				(option) =>
					option.type === "select" && (
						<label key={option.id} class="option" title={option.description ?? undefined}>
							<span>{option.name}</span>
							<select
								value={option.currentValue}
								onChange={({ currentTarget }) => void props.choose(option.id, currentTarget.value)}
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
