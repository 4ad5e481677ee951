// Only what colours: the rest of the package, with its completions, stays out of what a page loads.
export { goLanguage } from "@codemirror/lang-go";
