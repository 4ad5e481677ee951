import { type MatchWorker, serveMatches } from "@segue/editor";

/** A worker for regular expressions that runs right here, and so cannot be stopped. */
export function startWorkerHere(): MatchWorker {
	let serve = (_message: unknown) => {};
	let listener = (_message: unknown) => {};
	serveMatches({
		post: (message) => queueMicrotask(() => listener(message)),
		receive: (own) => {
			serve = own;
		},
	});
	return {
		post: (message) => serve(message),
		receive: (own) => {
			listener = own;
		},
		stop: () => {},
	};
}
