// Benchmark: the built `segue lsp` compared with `segue acp`: the next edit after a keystroke, and start time

import { spawn } from "node:child_process";
import { once } from "node:events";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { AcpTyping } from "../nes/acp-typing.js";
import { openDocuments } from "../nes/project.js";
import { interleave, median, percentile } from "../rounds.js";
import { LspTyping } from "./lsp-typing.js";

const measurements = [...(await suggesting()), ...(await starting())];
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from sending a keystroke until the response arrives, over both protocols with the same keystrokes.
 */
async function suggesting(): Promise<Measurement[]> {
	const starts = 3;
	const warmUpRounds = 300;
	const rounds = 700;
	const documents = openDocuments();
	const times = { lsp: [] as number[], acp: [] as number[] };
	let suggested = 0;
	for (let start = 1; start <= starts; start++) {
		const where = `suggesting: start ${start} of ${starts}`;
		const lsp = await LspTyping.start(documents);
		const acp = await AcpTyping.start(documents);
		const turns = { lsp: () => lsp.agentTime(), acp: () => acp.agentTime() };
		const type = () => {
			lsp.next();
			acp.next();
		};
		await interleave(turns, warmUpRounds, () => {
			showProgress(`${where}: warming up`);
			type();
		});
		lsp.suggested = 0;
		const samples = await interleave(turns, rounds, (round) => {
			showProgress(`${where}: round ${round + 1} of ${rounds}`);
			type();
		});
		times.lsp.push(...samples.lsp);
		times.acp.push(...samples.acp);
		suggested += lsp.suggested;
		await Promise.all([lsp.stop(), acp.stop()]);
	}
	const answers = starts * rounds;
	if (suggested < 0.9 * answers) throw new Error(`only ${suggested} of ${answers} responses had a suggestion`);
	const figureOf = (percent: number): Measurement => {
		const against = { name: "segue acp", value: percentile(times.acp, percent) };
		const figure = `key to answer, 5,000 lines, 50 documents, p${percent}`;
		return { figure, value: percentile(times.lsp, percent), unit: "ms", against };
	};
	return [{ ...figureOf(50), target: { timesAtMost: 1.1 } }, figureOf(95), figureOf(99)];
}

/**
 * Measures the time from the start of the process to its `initialize` response, compared with starting and exiting
 * Node.
 */
async function starting(): Promise<Measurement[]> {
	const rounds = 25;
	const segue = async () => {
		const start = performance.now();
		const lsp = await LspTyping.start([]);
		const time = performance.now() - start;
		await lsp.stop();
		return time;
	};
	const node = async () => {
		const start = performance.now();
		await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
		return performance.now() - start;
	};
	const times = await interleave({ segue, node }, rounds, (round) => {
		showProgress(`starting: round ${round + 1} of ${rounds}`);
	});
	const against = { name: "node -e 0", value: median(times.node) };
	const figure = "start to the initialize answer";
	return [{ figure, value: median(times.segue), unit: "ms", against, target: { timesAtMost: 2.5 } }];
}
