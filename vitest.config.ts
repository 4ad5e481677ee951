import { defineConfig } from "vitest/config";

// Packages import each other's sources, so that a test never runs against a stale build.
const conditions = ["@segue/source"];

export default defineConfig({
	resolve: { conditions },
	ssr: { resolve: { conditions } },
	test: {
		include: [
			"packages/*/src/**/*.test.ts",
			"playground/{browser,src}/**/*.test.ts",
			"tidy/**/*.test.ts",
			"bench/**/*.test.ts",
		],
		setupFiles: ["vitest.setup.ts"],
		globalSetup: ["packages/testing/src/chromium.ts", "packages/testing/src/test-home.ts"],
		// Most of a test's time is spent on waiting for other processes, so no core is left free for this one.
		maxWorkers: "100%",
		// Only a hang should meet these limits, however busy the machine is; a long fuzz run has none. What waits for something
		// gives up a little earlier, to say for what.
		testTimeout: process.env["FUZZ_RUNS"] === undefined ? 300_000 : 0,
		hookTimeout: 300_000,
		expect: { poll: { timeout: 240_000 } },
	},
});
