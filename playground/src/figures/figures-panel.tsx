import { useComputed } from "@preact/signals";
import type uPlot from "uplot";
import { messageRowsOf } from "../inspector/message-rows.js";
import type { Playground } from "../playground.js";
import { MachineFigures } from "./machine-figures.js";
import { axisIn, colourIn, Plot, PredictorPlot } from "./plot.js";
import { latenciesOf, predictorCountsOf } from "./predictor-counts.js";

/** How fast answers come, and what becomes of suggestions, as it happens. */
export function FiguresPanel({ playground }: { playground: Playground }) {
	const rows = useComputed(() => messageRowsOf(playground.trace.records.value));
	const latencies = useComputed(() => latenciesOf(rows.value));
	const counts = useComputed(() => predictorCountsOf(rows.value));
	return (
		<div class="figures">
			<h2>From a request to its answer, in milliseconds</h2>
			<LatencyPlot latencies={latencies.value} />
			<p class="remark">{summaryOf(latencies.value.map(({ latencyMs }) => latencyMs))}</p>
			<h2>What became of suggestions in this window</h2>
			<PredictorPlot counts={counts.value} />
			<table>
				<thead>
					<tr>
						<th scope="col">Predictor</th>
						<th scope="col">Shown</th>
						<th scope="col">Accepted</th>
						<th scope="col">Rejected</th>
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
								Nothing was shown yet.
							</td>
						</tr>
					)}
				</tbody>
			</table>
			<MachineFigures token={playground.token} />
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
	if (latencies.length === 0) return "Nothing was asked yet.";
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
	const answers = sorted.length === 1 ? "1 answer" : `${sorted.length} answers`;
	return `${answers}: half within ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms`;
}
