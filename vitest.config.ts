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
		// Only a hang should meet these limits, however busy the machine is; a long fuzz run has none.
		testTimeout: process.env["FUZZ_RUNS"] === undefined ? 60_000 : 0,
		hookTimeout: 60_000,
		expect: { poll: { timeout: 45_000 } },
	},
});
