/**
 * The version sent to MCP servers and other agents. Must match that in package.json, which cannot be imported because
 * it is outside the compiled sources.
 */
export const VERSION = "0.1.0";
