/** The version sent to MCP servers and other agents. Repeats package.json, which is outside the compiled sources. */
export const VERSION = "0.1.0";
