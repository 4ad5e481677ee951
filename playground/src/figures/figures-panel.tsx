import { useComputed } from "@preact/signals";
import type uPlot from "uplot";
import { messageRowsOf } from "../inspector/message-rows.js";
import type { Playground } from "../playground.js";
import { MachineFigures } from "./machine-figures.js";
import { axisIn, colourIn, Plot, PredictorPlot } from "./plot.js";
import { jumpCountsOf, latenciesOf, predictorCountsOf } from "./predictor-counts.js";

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
			{counts.value.length > 0 && <PredictorPlot counts={counts.value} />}
			<table>
				<thead>
					<tr>
						<th scope="col">Predictor</th>
						<th scope="col">Shown</th>
						<th scope="col">Accepted</th>
						<th scope="col">Dismissed</th>
						<th scope="col">Ignored</th>
					</tr>
				</thead>
				<tbody>
					{counts.value.map(({ predictor, shown, accepted, rejected, ignored }) => (
						<tr key={predictor}>
							<th scope="row">{predictor}</th>
							<td>{shown}</td>
							<td>{accepted}</td>
							<td>{rejected}</td>
							<td>{ignored}</td>
						</tr>
					))}
					{counts.value.length === 0 && (
						<tr>
							<td colSpan={5} class="remark">
								No suggestions yet.
							</td>
						</tr>
					)}
				</tbody>
			</table>
			{jumps.value.shown > 0 && (
				<p class="remark">
					{`Jumps: ${jumps.value.followed} of ${jumps.value.shown} followed. The table does not include jumps.`}
				</p>
			)}
			<MachineFigures server={playground.server} />
		</div>
	);
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
