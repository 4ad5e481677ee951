import { afterEach, expect, test, vi } from "vitest";
import { AgentLink } from "./agent-link.js";
import { ServerAccess } from "./server-access.js";

afterEach(() => void vi.unstubAllGlobals());

/** Creates a link to an agent in the page. The worker starts immediately. */
function linkToPage(server: ServerAccess): AgentLink {
	vi.stubGlobal("SEGUE_VERSION", "1.2.3");
	vi.stubGlobal("document", { baseURI: "http://127.0.0.1/" });
	vi.stubGlobal(
		"Worker",
		class extends EventTarget {
			postMessage({ id, port }: { id: number; port: MessagePort }) {
				port.close();
				this.dispatchEvent(new MessageEvent("message", { data: id }));
			}
		},
	);
	return new AgentLink(server, () => ({ agent: "page", sync: "incremental", changes: "events" }) as never);
}

test("with the agent in the page, a request with an expired token sets the status to refused until the server accepts a token", async () => {
	const server = new ServerAccess("old");
	const link = linkToPage(server);
	await link.connect();
	expect(link.status.value).toBe("open");
	server.isTokenRefused.value = true;
	expect(link.status.value).toBe("refused");
	await link.connect();
	expect(link.status.value).toBe("refused");
	server.isTokenRefused.value = false;
	expect(link.status.value).toBe("open");
});
