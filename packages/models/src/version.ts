/** What providers are told who want to know. It is that of this package, whose manifest lies outside of what is compiled. */
export const VERSION = "0.1.0";
