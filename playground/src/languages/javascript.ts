// Only what colours: the rest of the package, with its completions, stays out of what a page loads.
export { javascriptLanguage, jsxLanguage, tsxLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
