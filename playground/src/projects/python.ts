import type { Project } from "./project.js";

export const python: Project = {
	name: "weather",
	title: "Python: weather station",
	root: "file:///samples/weather",
	hint: "Try it: rename `vals` to `values` at the cursor, wait for the suggestion, and press Tab.",
	start: { path: "station/stats.py", after: "def mean(vals" },
	files: [
		{
			path: "station/stats.py",
			text: `def mean(vals):
    if not vals:
        return 0.0
    return sum(vals) / len(vals)


def spread(readings):
    low = min(reading.celsius for reading in readings)
    high = max(reading.celsius for reading in readings)
    return high - low


def warmest(readings):
    best = None
    for reading in readings:
        if best is None or reading.celsius > best.celsius:
            best = reading
    return best
`,
		},
		{
			path: "station/reading.py",
			text: `from dataclasses import dataclass


@dataclass
class Reading:
    place: str
    celsius: float
    wind: float = 0.0

    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    def is_stormy(self):
        return self.wind > 20
`,
		},
		{
			path: "station/report.py",
			text: `from .stats import mean, spread, warmest


def report(readings):
    print("mean:", mean([reading.celsius for reading in readings]))
    print("spread:", spread(readings))
    print("warmest:", warmest(readings).place)
    stormy = [reading for reading in readings if reading.is_stormy()]
    print("stormy:", len(stormy))
`,
		},
	],
};
