/** A switch, for use in a label. */
export function Switch({ isOn, change }: { isOn: boolean; change: (isOn: boolean) => void }) {
	return (
		<input
			type="checkbox"
			role="switch"
			aria-checked={isOn}
			checked={isOn}
			onChange={({ currentTarget }) => change(currentTarget.checked)}
		/>
	);
}
