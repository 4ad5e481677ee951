import { serveMatches } from "@segue/editor";

// The entry of a worker, in which the regular expressions of an agent can be stopped.
serveMatches({
	post: (message) => postMessage(message),
	receive: (listener) => addEventListener("message", ({ data }) => listener(data)),
});
