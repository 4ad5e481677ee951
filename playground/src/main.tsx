import { render } from "preact";
import { fragmentOf } from "./agent-link.js";
import { App } from "./app.js";

// Another token in the same window is another page, but to a browser it is not.
addEventListener("hashchange", () => location.reload());

const said = fragmentOf(location.hash);
const token = said.get("token") ?? "";
if (said.has("inspect")) {
	const { InspectPage } = await import("./inspector/inspect-page.js");
	render(<InspectPage token={token} />, document.body);
} else {
	render(<App token={token} />, document.body);
}
