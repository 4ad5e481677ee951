import type { Store } from "../store/store.js";
import { ThreadWorkspace, type WorkspacePrivacy } from "../workspace/workspace.js";
import { type ApprovalRule, Approvals } from "./approvals.js";
import { TokenEstimator } from "./compaction.js";
import type { Thread } from "./thread.js";

/** Threads that a process remembers session answers and read files of. Nobody works on as many in a day. */
const STATES_MAX = 200;

/** What this process remembers of a thread that it works on. */
export interface ThreadState {
	readonly folders: Folders;
	readonly workspace: ThreadWorkspace;
	readonly approvals: Approvals;
	readonly estimator: TokenEstimator;
	/** The name that was chosen with /model. */
	model: string | undefined;
}

type Folders = readonly [string, ...string[]];

/** What this process remembers of the threads that it works on. */
export class ThreadStates {
	private readonly states = new Map<string, ThreadState>();

	constructor(
		private readonly options: {
			readonly store: Store;
			readonly rules: readonly ApprovalRule[];
			readonly privacyOf: (folders: readonly string[]) => WorkspacePrivacy;
		},
	) {}

	/** Of a thread that may also work in other folders: those that it had last, where none are named. */
	of(thread: Thread, extra?: readonly string[]): ThreadState {
		const known = this.states.get(thread.id);
		const folders: Folders =
			extra === undefined && known !== undefined ? known.folders : [thread.workspace, ...(extra ?? [])];
		const isSame = known?.folders.join("\0") === folders.join("\0");
		const state = known !== undefined && isSame ? known : this.create(thread, folders, known);
		// What was not used for longest goes first.
		this.states.delete(thread.id);
		this.states.set(thread.id, state);
		if (this.states.size > STATES_MAX) this.states.delete(this.states.keys().next().value ?? "");
		return state;
	}

	/** What was read in the thread is no longer known to whoever read it. All else is still so. */
	forgetRead(thread: Thread): void {
		const known = this.states.get(thread.id);
		if (known !== undefined) this.states.set(thread.id, this.create(thread, known.folders, known));
	}

	delete(threadId: string): void {
		this.states.delete(threadId);
	}

	/** `known` is what was remembered of the thread before. */
	private create(thread: Thread, folders: Folders, known: ThreadState | undefined): ThreadState {
		const { store, rules, privacyOf } = this.options;
		// What was allowed in one folder is not allowed in another.
		const approvals = known?.folders[0] === folders[0] ? known.approvals : undefined;
		return {
			folders,
			workspace: new ThreadWorkspace(folders, privacyOf(folders)),
			approvals: approvals ?? new Approvals(store, thread.workspace, rules),
			estimator: known?.estimator ?? new TokenEstimator(),
			model: known?.model,
		};
	}
}
