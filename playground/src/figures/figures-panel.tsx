import { useComputed, useSignal } from "@preact/signals";
import type uPlot from "uplot";
import { messageRowsOf } from "../inspector/message-rows.js";
import type { Playground } from "../playground.js";
import { MachineFigures } from "./machine-figures.js";
import { acceptedText, type OutcomeRow, OutcomeTable } from "./outcome-table.js";
import { axisIn, colourIn, OutcomePlot, Plot, WHOLE_STEPS } from "./plot.js";
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
	const outcomes = counts.value.map(rowOf);
	const scope = useSignal<(typeof SCOPES)[number]>("This session");
	return (
		<div class="figures">
			<h2>Suggestions</h2>
			<div class="scopes">
				{SCOPES.map((name) => (
					<button key={name} type="button" aria-pressed={scope.value === name} onClick={() => (scope.value = name)}>
						{name}
					</button>
				))}
			</div>
			{scope.value === "On this machine" ? (
				<MachineFigures server={playground.server} />
			) : (
				<section aria-label="Suggestions this session">
					<p>{acceptedText(outcomes)}</p>
					{outcomes.length > 0 && <OutcomePlot rows={outcomes} />}
					<OutcomeTable label="Outcomes this session" groups={[{ title: "", rows: outcomes }]} />
					<OtherOutcomes counts={counts.value} />
					{jumps.value.shown > 0 && (
						<p class="remark">
							{`Jumps: ${jumps.value.followed} of ${jumps.value.shown} followed. The table does not include jumps.`}
						</p>
					)}
				</section>
			)}
			<h2>Response time this session</h2>
			<LatencyPlot latencies={latencies.value} />
			<p class="remark">{latencySummary(latencies.value)}</p>
		</div>
	);
}

const SCOPES = ["This session", "On this machine"] as const;

function rowOf({ predictor, shown, accepted, rejected, ignored, ...others }: PredictorCounts): OutcomeRow {
	const other = others.visible + others.withdrawn + others.replaced;
	return { name: predictor, shown, accepted, rejected, ignored, other };
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

/** A point for each response, in order. */
function LatencyPlot({ latencies }: { latencies: readonly number[] }) {
	const options = (parent: HTMLElement) => ({
		axes: [
			{ ...axisIn(parent), incrs: WHOLE_STEPS, values: (_: uPlot, at: number[]) => at.map((each) => `#${each}`) },
			{ ...axisIn(parent), values: (_: uPlot, at: number[]) => at.map((each) => `${each} ms`), size: 60 },
		],
		series: [{}, { paths: () => null, stroke: () => colourIn(parent, "--accent"), points: { show: true, size: 5 } }],
	});
	return (
		<Plot options={options} data={[latencies.map((_, i) => i + 1), [...latencies]]} label={latencySummary(latencies)} />
	);
}

function latencySummary(latencies: readonly number[]): string {
	if (latencies.length === 0) return "No requests yet.";
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
	if (sorted.length === 1) return `1 request, answered in ${at(1)} ms.`;
	return `${sorted.length} requests: half were answered within ${at(0.5)} ms, and 95 % within ${at(0.95)} ms.`;
}
