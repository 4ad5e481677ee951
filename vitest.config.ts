import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const ALL = [
	"packages/*/src/**/*.test.ts",
	"playground/{browser,src}/**/*.test.ts",
	"tidy/**/*.test.ts",
	"lab/**/*.test.ts",
];

// Test files share worker processes, because loading the sources again for each file took more time than the tests. These
// need a process of their own: they replace modules or built-in functions, measure the heap, or crash the parser.
const ISOLATED = [
	"packages/predict/src/{languages/parts,predictors}.test.ts",
	"packages/server/src/acp/soak.test.ts",
	"packages/agent/src/outline/crash.test.ts",
];

// Packages import each other's sources, so that a test never runs against a stale build.
const conditions = ["@segue/source"];

function project(name: string, files: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration {
	return {
		resolve: { conditions },
		ssr: { resolve: { conditions } },
		test: {
			name,
			...files,
			setupFiles: ["packages/testing/src/setup/test-setup.ts"],
			// Only a hang should meet these limits, however busy the machine is; a long fuzz run has none. Code that waits for
			// something gives up a little earlier, to name it.
			testTimeout: process.env["FUZZ_RUNS"] === undefined ? 300_000 : 0,
			hookTimeout: 300_000,
			expect: { poll: { timeout: 240_000 } },
		},
	};
}

export default defineConfig({
	test: {
		projects: [
			project("shared", { isolate: false, include: ALL, exclude: [...configDefaults.exclude, ...ISOLATED] }),
			project("isolated", { include: ISOLATED }),
		],
		// Not inherited by the projects, so that each runs once.
		globalSetup: ["packages/testing/src/setup/global-setup.ts"],
		// Most of a test's time is spent on waiting for other processes, so no core is left free for this one.
		maxWorkers: "100%",
	},
});
