import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const ALL = [
	"packages/*/src/**/*.test.ts",
	"{editors/*,playground}/{browser,src}/**/*.test.ts",
	"tidy/**/*.test.ts",
	"lab/**/*.test.ts",
	"scripts/*.test.ts",
];

// Test files share worker processes, because loading the sources again for each file takes more time than running the
// tests. The files below need a process of their own, because they replace modules or built-in functions, measure the
// heap, or crash the parser.
const ISOLATED = [
	"packages/predict/src/{languages/parts,predictors}.test.ts",
	"packages/server/src/acp/soak.test.ts",
	"packages/agent/src/outline/crash.test.ts",
];

// Packages import each other's sources, so that a test never runs against a stale build.
const conditions = ["@segue/source"];
// Exists only inside VS Code.
const alias = { vscode: fileURLToPath(new URL("editors/vscode/src/fake-vscode.ts", import.meta.url)) };

function project(name: string, files: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration {
	return {
		resolve: { conditions, alias },
		ssr: { resolve: { conditions } },
		test: {
			name,
			...files,
			setupFiles: ["packages/testing/src/setup/test-setup.ts"],
			// Only a hang should reach these limits, however busy the machine is. A long fuzz run has no limit. Code
			// that waits for something gives up a little earlier, so that it can name what it was waiting for.
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
		// The projects do not inherit this, so it runs only once.
		globalSetup: ["packages/testing/src/setup/global-setup.ts"],
		// Tests spend most of their time waiting for other processes, so no core is reserved for vitest itself.
		maxWorkers: "100%",
	},
});
