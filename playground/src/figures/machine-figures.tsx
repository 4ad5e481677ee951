import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type uPlot from "uplot";
import type { ServerAccess } from "../server-access.js";
import { axisIn, colourIn, Plot, PredictorName, PredictorPlot } from "./plot.js";

/** Outcomes of suggestions in all editors on this machine, as printed by `segue stats`. */
export function MachineFigures({ server }: { server: ServerAccess }) {
	const stats = useSignal<MachineStats | undefined>(undefined);
	const trouble = useSignal("");
	const read = () => {
		fetchMachineStats(server).then(
			(now) => {
				stats.value = now;
				trouble.value = "";
			},
			(error: Error) => (trouble.value = error.message),
		);
	};
	useEffect(read, []);
	return (
		<section aria-label="Suggestions on this machine">
			<h2>Suggestions on this machine</h2>
			{trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
			{stats.value && <StatsTables stats={stats.value} />}
			<button type="button" onClick={read}>
				Refresh
			</button>
		</section>
	);
}

function StatsTables({ stats }: { stats: MachineStats }) {
	if (stats.all.shown === 0)
		return (
			<p class="remark">
				No outcomes have been stored yet, or <code>feedback</code> is off in the configuration.
			</p>
		);
	return (
		<>
			<PredictorPlot counts={stats.bySource.map((row) => ({ predictor: row.name, ...outcomesOf(row) }))} />
			<RatePlot days={stats.byDay} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the table, so it must take the focus. */}
			<section class="table" tabIndex={0} aria-label="Outcomes on this machine">
				<table>
					<thead>
						<tr>
							<th scope="col">Source</th>
							<th scope="col">Shown</th>
							<th scope="col">Accepted</th>
							<th scope="col">Dismissed</th>
							<th scope="col">Ignored</th>
							<th scope="col">Other</th>
							<th scope="col">Rate</th>
						</tr>
					</thead>
					<Rows title="By source" rows={stats.bySource} />
					<Rows title="By model" rows={stats.byModel} />
					<Rows title="By language" rows={stats.byLanguage} />
				</table>
			</section>
			<p class="remark">
				Accepted includes partly accepted suggestions. Other: replaced, withdrawn because the code changed, or without
				an outcome yet. Suggestions in stories are not counted.
			</p>
		</>
	);
}

function Rows({ title, rows }: { title: string; rows: readonly MachineStatsRow[] }) {
	if (rows.length === 0) return null;
	return (
		<tbody>
			<tr>
				<th scope="rowgroup" colSpan={7} class="remark">
					{title}
				</th>
			</tr>
			{rows.map((row) => {
				const { accepted, rejected, ignored, other } = outcomesOf(row);
				return (
					<tr key={row.name}>
						<th scope="row">
							<PredictorName name={row.name} />
						</th>
						<td>{row.shown}</td>
						<td>{accepted}</td>
						<td>{rejected}</td>
						<td>{ignored}</td>
						<td>{other}</td>
						<td>{row.rate === null ? "–" : percent(row.rate)}</td>
					</tr>
				);
			})}
		</tbody>
	);
}

/** Returns outcomes that add up to `shown`. */
function outcomesOf({ shown, accepted, partly, rejected, ignored }: MachineStatsRow) {
	return { accepted: accepted + partly, rejected, ignored, other: shown - accepted - partly - rejected - ignored };
}

/** The acceptance rate by day. There is no plot for a single day. */
function RatePlot({ days }: { days: readonly MachineStatsRow[] }) {
	const decided = days.filter(({ rate }) => rate !== null);
	if (decided.length < 2) return null;
	const options = (parent: HTMLElement): Partial<uPlot.Options> => ({
		scales: { x: { time: true }, y: { range: [0, 1] } },
		axes: [axisIn(parent), { ...axisIn(parent), values: (_, shares) => shares.map(percent) }],
		series: [{}, { stroke: () => colourIn(parent, "--good"), points: { show: true, size: 4 } }],
	});
	const label = `Acceptance rate by day, most recently ${percent(decided.at(-1)?.rate ?? 0)}`;
	const times = decided.map(({ name }) => Date.parse(name) / 1000);
	return <Plot options={options} data={[times, decided.map(({ rate }) => rate)]} label={label} />;
}

function percent(share: number): string {
	return `${Math.round(share * 100)} %`;
}

/** The statistics sent by the server. */
interface MachineStats {
	readonly all: Omit<MachineStatsRow, "name">;
	readonly bySource: readonly MachineStatsRow[];
	readonly byModel: readonly MachineStatsRow[];
	readonly byLanguage: readonly MachineStatsRow[];
	/** Oldest first. */
	readonly byDay: readonly MachineStatsRow[];
}

interface MachineStatsRow {
	readonly name: string;
	readonly shown: number;
	readonly accepted: number;
	readonly partly: number;
	readonly rejected: number;
	readonly ignored: number;
	/** The acceptance rate; null if the user has not decided on any suggestion. */
	readonly rate: number | null;
}

/** Rejects with an error message for the user. */
async function fetchMachineStats(server: ServerAccess): Promise<MachineStats> {
	const response = await server.request("/stats");
	return (await response.json()) as MachineStats;
}
