import type * as acp from "@segue/protocol/acp";
import { Switch } from "./switch.js";

/** A switch or a select element for each of a session's options, with the agent's names and, if wanted, its descriptions. */
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
							{/* biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children. */}
							<label class="option" title={option.description ?? undefined}>
								<span>{option.name}</span>
								{isSwitch(option) ? (
									<Switch
										isOn={option.currentValue === "on"}
										change={(isOn) => void props.choose(option.id, isOn ? "on" : "off")}
									/>
								) : (
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
								)}
							</label>
							{props.isDescribed && option.description && <p class="remark">{sentence(option.description)}</p>}
						</div>
					),
			)}
		</>
	);
}

/** Whether an option is on or off. Agents send it as a selection to clients without boolean options. */
function isSwitch({ options }: Extract<acp.ConfigOption, { type: "select" }>): boolean {
	const values = options.map((each) => ("value" in each ? each.value : ""));
	return values.toSorted().join() === "off,on";
}

/** Returns an agent's description with a full stop. */
export function sentence(description: string): string {
	return /[.!?]$/.test(description) ? description : `${description}.`;
}
