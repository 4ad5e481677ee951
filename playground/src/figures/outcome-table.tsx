/** The outcomes of suggestions with something in common. They add up to `shown`. */
export interface OutcomeRow {
	readonly name: string;
	readonly shown: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly ignored: number;
	readonly other: number;
}

/** Rows of a table under a title of their own. */
interface OutcomeGroup {
	readonly title: string;
	readonly rows: readonly OutcomeRow[];
}

/** A table of outcomes. */
export function OutcomeTable({ label, groups }: { label: string; groups: readonly OutcomeGroup[] }) {
	const filled = groups.filter(({ rows }) => rows.length > 0);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the table, so it must take the focus.
		<section class="table" tabIndex={0} aria-label={label}>
			<table>
				<thead>
					<tr>
						<th scope="col">Source</th>
						<th scope="col">Accepted</th>
						<th scope="col">Share</th>
						<th scope="col">Dismissed</th>
						<th scope="col">Ignored</th>
						<th scope="col">Other</th>
						<th scope="col">Shown</th>
					</tr>
				</thead>
				{filled.length === 0 && (
					<tbody>
						<tr>
							<td colSpan={7} class="remark">
								No suggestions yet.
							</td>
						</tr>
					</tbody>
				)}
				{filled.map(({ title, rows }) => (
					<tbody key={title}>
						{title !== "" && (
							<tr>
								<th scope="rowgroup" colSpan={7} class="remark">
									{title}
								</th>
							</tr>
						)}
						{rows.map((row) => (
							<tr key={row.name}>
								<th scope="row">
									<SourceName name={row.name} />
								</th>
								<td>{row.accepted}</td>
								<td>{shareText(acceptedShare(row))}</td>
								<td>{row.rejected}</td>
								<td>{row.ignored}</td>
								<td>{row.other}</td>
								<td>{row.shown}</td>
							</tr>
						))}
					</tbody>
				))}
			</table>
		</section>
	);
}

/** The share that was accepted of all suggestions that the user decided on; undefined if there are none. */
function acceptedShare({ accepted, rejected, ignored }: OutcomeRow): number | undefined {
	const decided = accepted + rejected + ignored;
	return decided === 0 ? undefined : accepted / decided;
}

/** Summarizes outcomes in sentences that add up to all of them, or returns an empty string if there are none. */
export function acceptedText(rows: readonly OutcomeRow[]): string {
	const sum = (key: "accepted" | "rejected" | "ignored" | "other") => rows.reduce((total, row) => total + row[key], 0);
	const [accepted, refused, other] = [sum("accepted"), sum("rejected") + sum("ignored"), sum("other")];
	const decided = accepted + refused;
	if (decided === 0) return "";
	const rest = other === 0 ? "" : ` ${other} more changed or disappeared before you decided.`;
	return `You accepted ${accepted} of ${decided} suggestions that you decided on (${shareText(accepted / decided)}).${rest}`;
}

function shareText(share: number | undefined): string {
	return share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

/** The labels are the titles of the stories about them. */
const SOURCES: Readonly<Record<string, readonly [label: string, explanation: string]>> = {
	rename: ["Rename", "Renames the other uses of a name"],
	repeat: ["Repeat a change", "Repeats an edit elsewhere"],
	template: ["Follow a pattern", "Repeats a change on similar lines, with their own names"],
	sibling: ["Complete a list", "Adds a new item wherever the others are listed"],
	calls: ["Update calls", "Updates the calls of a function whose parameters changed"],
	paste: ["Adapt a copy", "Adapts pasted code"],
	diagnostic: ["Fix errors", "Fixes an error or adds a missing import"],
	jump: ["Jump", "Leads to the next place to edit"],
	model: ["Model", "Written by a model"],
};

/** The label of a suggestion's source: a predictor of the engine, a model or a language. */
export function sourceLabel(name: string): string {
	return Object.hasOwn(SOURCES, name) ? (SOURCES[name]?.[0] ?? name) : name;
}

function SourceName({ name }: { name: string }) {
	const text = Object.hasOwn(SOURCES, name) ? SOURCES[name]?.[1] : undefined;
	const label = sourceLabel(name);
	return text === undefined ? label : <abbr title={text}>{label}</abbr>;
}
