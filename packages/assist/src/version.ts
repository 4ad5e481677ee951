/** What MCP servers and other agents are told. It is that of this package, whose manifest lies outside of what is compiled. */
export const VERSION = "0.1.0";
