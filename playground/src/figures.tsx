import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { rowsOf } from "./exchange.js";
import type { Playground } from "./playground.js";
import { latenciesOf, type Tally, talliesOf } from "./tally.js";

/** How fast answers come, and what becomes of suggestions, as it happens. */
export function Figures({ playground }: { playground: Playground }) {
	const rows = useComputed(() => rowsOf(playground.trace.records.value));
	const latencies = useComputed(() => latenciesOf(rows.value));
	const tallies = useComputed(() => talliesOf(rows.value));
	return (
		<div class="figures">
			<h3>From a request to its answer, in milliseconds</h3>
			<LatencyPlot latencies={latencies.value} />
			<p class="remark">{summaryOf(latencies.value.map(({ latencyMs }) => latencyMs))}</p>
			<h3>What became of suggestions</h3>
			<TallyPlot tallies={tallies.value} />
			<table>
				<thead>
					<tr>
						<th scope="col">Predictor</th>
						<th scope="col">Offered</th>
						<th scope="col">Accepted</th>
						<th scope="col">Rejected</th>
						<th scope="col">Ignored</th>
					</tr>
				</thead>
				<tbody>
					{tallies.value.map(({ predictor, offered, accepted, rejected, ignored }) => (
						<tr key={predictor}>
							<th scope="row">{predictor}</th>
							<td>{offered}</td>
							<td>{accepted}</td>
							<td>{rejected}</td>
							<td>{ignored}</td>
						</tr>
					))}
					{tallies.value.length === 0 && (
						<tr>
							<td colSpan={5} class="remark">
								Nothing was offered yet.
							</td>
						</tr>
					)}
				</tbody>
			</table>
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

const OUTCOMES = [
	["offered", "--accent"],
	["accepted", "--good"],
	["rejected", "--bad"],
	["ignored", "--text-dim"],
] as const;

/** Four bars for each predictor, which stand at places of their own between two whole numbers. */
function TallyPlot({ tallies }: { tallies: readonly Tally[] }) {
	const places = tallies.flatMap((_, i) => OUTCOMES.map((_outcome, k) => i + (k + 1) / (OUTCOMES.length + 1)));
	const bars = OUTCOMES.map(([outcome], k) => {
		return tallies.flatMap((tally) => OUTCOMES.map((_outcome, at) => (at === k ? tally[outcome] : null)));
	});
	const names = useRef<readonly string[]>([]);
	names.current = tallies.map(({ predictor }) => predictor);
	const paths = uPlot.paths.bars?.({ size: [0.8, 24] });
	const options = (parent: HTMLElement): Partial<uPlot.Options> => ({
		scales: { x: { time: false, range: () => [0, Math.max(1, names.current.length)] } },
		axes: [
			{
				...axisIn(parent),
				grid: { show: false },
				splits: () => names.current.map((_, i) => i + 0.5),
				values: () => [...names.current],
			},
			{ ...axisIn(parent), incrs: [1, 2, 5, 10, 20, 50, 100] },
		],
		series: [
			{},
			...OUTCOMES.map(([, colour]) => ({
				fill: () => colourIn(parent, colour),
				...(paths && { paths }),
				points: { show: false },
			})),
		],
	});
	return <Plot options={options} data={[places, ...bars]} label="The numbers of the table below, as bars" />;
}

/** A plot as wide as there is room. Its options are read once, and what is in them asks for what changes. */
function Plot({
	options,
	data,
	label,
}: {
	options: (parent: HTMLElement) => Partial<uPlot.Options>;
	data: uPlot.AlignedData;
	label: string;
}) {
	const place = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | undefined>(undefined);
	useEffect(() => {
		const parent = place.current;
		if (parent === null) return;
		const made = new uPlot(
			{
				width: parent.clientWidth,
				height: PLOT_PX,
				legend: { show: false },
				cursor: { drag: { x: false, y: false } },
				scales: { x: { time: false } },
				series: [],
				...options(parent),
			},
			data,
			parent,
		);
		plot.current = made;
		const sized = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: PLOT_PX }));
		sized.observe(parent);
		return () => {
			sized.disconnect();
			made.destroy();
		};
	}, []);
	useEffect(() => plot.current?.setData(data), [data]);
	return <div ref={place} class="plot" role="img" aria-label={label} />;
}

const PLOT_PX = 160;

function axisIn(parent: HTMLElement): uPlot.Axis {
	const line = { stroke: () => colourIn(parent, "--line"), width: 1 };
	return { stroke: () => colourIn(parent, "--text-dim"), grid: line, ticks: line };
}

/** As it is in the present theme. A canvas does not understand variables. */
function colourIn(element: HTMLElement, variable: string): string {
	element.style.color = `var(${variable})`;
	return getComputedStyle(element).color;
}

function summaryOf(latencies: readonly number[]): string {
	if (latencies.length === 0) return "Nothing was asked yet.";
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
	const answers = sorted.length === 1 ? "1 answer" : `${sorted.length} answers`;
	return `${answers}: half within ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms`;
}
