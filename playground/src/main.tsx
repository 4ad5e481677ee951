import { render } from "preact";
import { App } from "./app.js";
import { fragmentOf, ServerAccess } from "./server-access.js";

const fragment = fragmentOf(location.hash);
const server = new ServerAccess(fragment.get("token") ?? "");
server.shareTokens();
const isInspector = fragment.has("inspect");
// The browser does not reload when the fragment changes, but the inspector is a different page.
addEventListener("hashchange", () => {
	if (fragmentOf(location.hash).has("inspect") !== isInspector) location.reload();
});
if (isInspector) {
	const { InspectPage } = await import("./inspector/inspect-page.js");
	render(<InspectPage server={server} />, document.body);
} else {
	render(<App server={server} />, document.body);
}
