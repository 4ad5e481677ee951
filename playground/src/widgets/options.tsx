import type * as acp from "@segue/protocol/acp";

/** A select element for each of a session's options, with the agent's names and, if wanted, its descriptions. */
export function Options(props: {
	readonly options: readonly acp.ConfigOption[];
	readonly isDescribed?: boolean;
	readonly choose: (id: string, value: string) => Promise<void>;
}) {
	return (
		<>
			{props.options.map(
				(option) =>
					option.type === "select" && (
						<div key={option.id} class="setting">
							<label class="option" title={option.description ?? undefined}>
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
							{props.isDescribed && option.description && <p class="remark">{option.description}</p>}
						</div>
					),
			)}
		</>
	);
}
