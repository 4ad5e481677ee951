import type { Store } from "../store/store.js";
import { ThreadWorkspace, type WorkspacePrivacy } from "../workspace/workspace.js";
import { type ApprovalRule, Approvals } from "./approvals.js";
import { TokenEstimator } from "./compaction.js";
import type { Thread } from "./thread.js";

/** More threads than a user works on in a day. */
const STATES_MAX = 200;

/** The in-memory state of a thread: session answers and read files. */
export interface ThreadState {
	readonly folders: Folders;
	readonly workspace: ThreadWorkspace;
	readonly approvals: Approvals;
	readonly estimator: TokenEstimator;
	/** The name of the model chosen with /model. */
	model: string | undefined;
}

type Folders = readonly [string, ...string[]];

/** An LRU cache of thread states. */
export class ThreadStates {
	private readonly states = new Map<string, ThreadState>();

	constructor(
		private readonly options: {
			readonly store: Store;
			readonly rules: readonly ApprovalRule[];
			readonly privacyOf: (folders: readonly string[]) => WorkspacePrivacy;
		},
	) {}

	/**
	 * Returns the state of a thread, with `extra` as its additional folders. If `extra` is undefined, the thread keeps
	 * its current folders.
	 */
	of(thread: Thread, extra?: readonly string[]): ThreadState {
		const known = this.states.get(thread.id);
		const folders: Folders =
			extra === undefined && known !== undefined ? known.folders : [thread.workspace, ...(extra ?? [])];
		const isSame = known?.folders.join("\0") === folders.join("\0");
		const state = known !== undefined && isSame ? known : this.create(thread, folders, known);
		// Keeps the map in order of use.
		this.states.delete(thread.id);
		this.states.set(thread.id, state);
		if (this.states.size > STATES_MAX) this.states.delete(this.states.keys().next().value ?? "");
		return state;
	}

	/** Forgets which files were read in the thread, but keeps the rest of its state. */
	forgetRead(thread: Thread): void {
		const known = this.states.get(thread.id);
		if (known !== undefined) this.states.set(thread.id, this.create(thread, known.folders, known));
	}

	delete(threadId: string): void {
		this.states.delete(threadId);
	}

	/** `known` is the previous state. */
	private create(thread: Thread, folders: Folders, known: ThreadState | undefined): ThreadState {
		const { store, rules, privacyOf } = this.options;
		// Session answers apply to only one workspace.
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
