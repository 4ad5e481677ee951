import { useComputed } from "@preact/signals";
import type uPlot from "uplot";
import { messageRowsOf } from "../inspector/message-rows.js";
import type { Playground } from "../playground.js";
import { MachineFigures } from "./machine-figures.js";
import { axisIn, colourIn, Plot, PredictorName, PredictorPlot } from "./plot.js";
import {
	jumpCountsOf,
	latenciesOf,
	type PredictorCounts,
	predictorCountsOf,
	type RemainingOutcome,
} from "./predictor-counts.js";

/** Response times and outcomes of suggestions, updated live. */
export function FiguresPanel({ playground }: { playground: Playground }) {
	const rows = useComputed(() => messageRowsOf(playground.trace.records.value));
	const latencies = useComputed(() => latenciesOf(rows.value));
	const counts = useComputed(() => predictorCountsOf(rows.value));
	const jumps = useComputed(() => jumpCountsOf(rows.value));
	return (
		<div class="figures">
			<h2>Response time in milliseconds</h2>
			<LatencyPlot latencies={latencies.value} />
			<p class="remark">{summaryOf(latencies.value.map(({ latencyMs }) => latencyMs))}</p>
			<h2>Suggestions this session</h2>
			{counts.value.length > 0 && <PredictorPlot counts={counts.value.map(otherCounted)} />}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the table, so it must take the focus. */}
			<section class="table" tabIndex={0} aria-label="Outcomes this session">
				<table>
					<thead>
						<tr>
							<th scope="col">Predictor</th>
							<th scope="col">Shown</th>
							<th scope="col">Accepted</th>
							<th scope="col">Dismissed</th>
							<th scope="col">Ignored</th>
							<th scope="col">Other</th>
						</tr>
					</thead>
					<tbody>
						{counts.value.map(otherCounted).map(({ predictor, shown, accepted, rejected, ignored, other }) => (
							<tr key={predictor}>
								<th scope="row">
									<PredictorName name={predictor} />
								</th>
								<td>{shown}</td>
								<td>{accepted}</td>
								<td>{rejected}</td>
								<td>{ignored}</td>
								<td>{other}</td>
							</tr>
						))}
						{counts.value.length === 0 && (
							<tr>
								<td colSpan={6} class="remark">
									No suggestions yet.
								</td>
							</tr>
						)}
					</tbody>
				</table>
			</section>
			<OtherOutcomes counts={counts.value} />
			{jumps.value.shown > 0 && (
				<p class="remark">
					{`Jumps: ${jumps.value.followed} of ${jumps.value.shown} followed. The table does not include jumps.`}
				</p>
			)}
			<MachineFigures server={playground.server} />
		</div>
	);
}

/** Adds the number of suggestions that ended without a decision by the user. */
function otherCounted(counts: PredictorCounts) {
	return { ...counts, other: counts.visible + counts.withdrawn + counts.replaced };
}

const OTHER_TEXTS: Readonly<Record<RemainingOutcome, string>> = {
	visible: "still visible",
	withdrawn: "withdrawn because the code changed",
	replaced: "replaced by another suggestion",
};

/** Explains the last column of the table, so that the numbers in a row add up. */
function OtherOutcomes({ counts }: { counts: readonly PredictorCounts[] }) {
	const parts = (Object.keys(OTHER_TEXTS) as RemainingOutcome[]).flatMap((outcome) => {
		const count = counts.reduce((sum, each) => sum + each[outcome], 0);
		return count === 0 ? [] : [`${count} ${OTHER_TEXTS[outcome]}`];
	});
	return parts.length === 0 ? null : <p class="remark">{`Other: ${parts.join(", ")}.`}</p>;
}

function LatencyPlot({ latencies }: { latencies: ReturnType<typeof latenciesOf> }) {
	const times = latencies.map(({ atMs }) => atMs / 1000);
	const options = (parent: HTMLElement) => ({
		axes: [{ ...axisIn(parent), values: (_: uPlot, at: number[]) => at.map((each) => `${each} s`) }, axisIn(parent)],
		series: [{}, { stroke: () => colourIn(parent, "--accent"), points: { show: true, size: 4 } }],
	});
	const summary = summaryOf(latencies.map(({ latencyMs }) => latencyMs));
	return <Plot options={options} data={[times, latencies.map(({ latencyMs }) => latencyMs)]} label={summary} />;
}

function summaryOf(latencies: readonly number[]): string {
	if (latencies.length === 0) return "No requests yet.";
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
	const responses = sorted.length === 1 ? "1 response" : `${sorted.length} responses`;
	return `${responses}: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms`;
}
