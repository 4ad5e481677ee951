import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type uPlot from "uplot";
import type { ServerAccess } from "../server-access.js";
import { acceptedText, type OutcomeRow, OutcomeTable } from "./outcome-table.js";
import { axisIn, colourIn, OutcomePlot, Plot } from "./plot.js";

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
	const bySource = stats.bySource.map(rowOf);
	return (
		<>
			<p>{acceptedText(bySource)}</p>
			<OutcomePlot rows={bySource} />
			<RatePlot days={stats.byDay} />
			<OutcomeTable
				label="Outcomes on this machine"
				groups={[
					{ title: "By source", rows: bySource },
					{ title: "By model", rows: stats.byModel.map(rowOf) },
					{ title: "By language", rows: stats.byLanguage.map(rowOf) },
				]}
			/>
			<p class="remark">
				Accepted includes partly accepted suggestions. Other: replaced, withdrawn because the code changed, or without
				an outcome yet. Share: accepted of those with a decision. Suggestions in stories are not counted.
			</p>
		</>
	);
}

/** Returns outcomes that add up to `shown`. */
function rowOf({ name, shown, accepted, partly, rejected, ignored }: MachineStatsRow): OutcomeRow {
	const other = shown - accepted - partly - rejected - ignored;
	return { name, shown, accepted: accepted + partly, rejected, ignored, other };
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
