// A vitest reporter that shows the progress of a run. At the end it writes the number of tests by state, as JSON, to
// the file in SEGUE_TEST_COUNTS. Vitest's `minimal` reporter prints failures and the summary. This reporter comes
// before it in the list, to clear the progress line before a failure is printed.
import { writeFileSync } from "node:fs";

const TERMINAL_MS = 500;
const LOG_MS = 20_000;

export default class TestProgress {
	counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
	files = 0;
	filesDone = 0;
	isTerminal = process.stdout.isTTY === true;

	onTestRunStart(specifications) {
		this.files = specifications.length;
		this.start = performance.now();
		this.timer = this.isTerminal
			? setInterval(() => process.stdout.write(`\r\u001b[K${this.line()}`), TERMINAL_MS)
			: setInterval(() => console.log(this.line()), LOG_MS);
	}

	onTestModuleEnd(module) {
		this.filesDone++;
		for (const test of module.children.allTests()) this.counts[test.result().state]++;
		if (!module.ok()) this.clear();
	}

	onTestRunEnd() {
		clearInterval(this.timer);
		this.clear();
		const file = process.env.SEGUE_TEST_COUNTS;
		if (file !== undefined) writeFileSync(file, JSON.stringify(this.counts));
	}

	line() {
		const seconds = Math.round((performance.now() - this.start) / 1000);
		const { failed } = this.counts;
		return `${this.filesDone} of ${this.files} test files after ${seconds} s${failed === 0 ? "" : `, ${failed} failed`}`;
	}

	clear() {
		if (this.isTerminal) process.stdout.write("\r\u001b[K");
	}
}
