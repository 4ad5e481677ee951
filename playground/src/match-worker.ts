import { serveMatches } from "@segue/editor";

// The entry point of a worker that runs an agent's regular expressions, so that slow ones can be stopped.
serveMatches({
	post: (message) => postMessage(message),
	receive: (listener) => addEventListener("message", ({ data }) => listener(data)),
});
