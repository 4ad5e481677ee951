import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type OutcomeRow, sourceLabel } from "./outcome-table.js";

const OUTCOMES = [
	["accepted", "Accepted", "--good"],
	["rejected", "Dismissed", "--bad"],
	["ignored", "Ignored", "--text-dim"],
	["other", "Other", "--pale"],
] as const;

// Axis steps: whole numbers up to the largest safe integer. Without a step of a suitable size, uPlot does not draw the
// axis.
export const WHOLE_STEPS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** A bar chart with a stacked bar for each source, as high as the number of suggestions shown. */
export function OutcomePlot({ rows }: { rows: readonly OutcomeRow[] }) {
	const places = rows.map((_, i) => i + 0.5);
	// uPlot draws later series over earlier ones, so the first series is the whole bar.
	const bars = OUTCOMES.map((_, k) => {
		return rows.map((row) => OUTCOMES.slice(0, OUTCOMES.length - k).reduce((sum, [each]) => sum + row[each], 0));
	});
	const names = useRef<readonly string[]>([]);
	// On two lines, so that labels of neighbours don't overlap.
	names.current = rows.map(({ name }) => sourceLabel(name).replace(" ", "\n"));
	const paths = uPlot.paths.bars?.({ size: [0.5, 48] });
	const options = (parent: HTMLElement): Partial<uPlot.Options> => ({
		scales: {
			x: { time: false, range: () => [0, Math.max(1, names.current.length)] },
			// Bars must start at zero, or their lengths would not be comparable.
			y: { range: (_, _least, most) => [0, Math.max(1, most)] },
		},
		axes: [
			{
				...axisIn(parent),
				grid: { show: false },
				splits: () => names.current.map((_, i) => i + 0.5),
				values: () => [...names.current],
			},
			{ ...axisIn(parent), incrs: WHOLE_STEPS },
		],
		series: [
			{},
			...OUTCOMES.toReversed().map(([, , colour]) => ({
				fill: () => colourIn(parent, colour),
				...(paths && { paths }),
				points: { show: false },
			})),
		],
	});
	return (
		<>
			<ul class="legend">
				{OUTCOMES.map(([outcome, label, colour]) => (
					<li key={outcome}>
						<span style={{ backgroundColor: `var(${colour})` }} />
						{label}
					</li>
				))}
			</ul>
			<Plot options={options} data={[places, ...bars]} label="Bar chart of the table below" />
		</>
	);
}

/** A plot as wide as its container. The options are read once, so pass values that change as functions. */
export function Plot({
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
		const { axes = [], ...given } = options(parent);
		const made = new uPlot(
			{
				width: parent.clientWidth,
				height: PLOT_PX,
				legend: { show: false },
				cursor: { drag: { x: false, y: false } },
				scales: { x: { time: false } },
				series: [],
				...given,
				axes: axes.map((axis, i) => (i === 0 ? { ...axis, size: X_AXIS_PX } : axis)),
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
// Room for labels of two lines.
const X_AXIS_PX = 46;

export function axisIn(parent: HTMLElement): uPlot.Axis {
	const line = { stroke: () => colourIn(parent, "--line"), width: 1 };
	return { stroke: () => colourIn(parent, "--text-dim"), grid: line, ticks: line };
}

/** Returns a colour in the current theme. Needed because a canvas does not resolve CSS variables. */
export function colourIn(element: HTMLElement, variable: string): string {
	element.style.color = `var(${variable})`;
	return getComputedStyle(element).color;
}
