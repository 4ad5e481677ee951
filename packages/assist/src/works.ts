import { type ApprovalRule, Approvals } from "./approvals.js";
import { Gauge } from "./compaction.js";
import type { Store } from "./store/store.js";
import type { Thread } from "./thread.js";
import { type Privacy, Workspace } from "./workspace.js";

/** Threads that a process remembers session answers and read files of. Nobody works on as many in a day. */
const WORKS_MAX = 200;

/** What this process remembers of a thread that it works on. */
export interface Work {
	readonly folders: Folders;
	readonly workspace: Workspace;
	readonly approvals: Approvals;
	readonly gauge: Gauge;
	/** The name that was chosen with /model. */
	model: string | undefined;
}

type Folders = readonly [string, ...string[]];

/** What this process remembers of the threads that it works on. */
export class Works {
	private readonly works = new Map<string, Work>();

	constructor(
		private readonly options: {
			readonly store: Store;
			readonly rules: readonly ApprovalRule[];
			readonly privacyOf: (folders: readonly string[]) => Privacy;
		},
	) {}

	/** Of a thread that may also work in other folders: those that it had last, where none are named. */
	on(thread: Thread, extra?: readonly string[]): Work {
		const known = this.works.get(thread.id);
		const folders: Folders =
			extra === undefined && known !== undefined ? known.folders : [thread.workspace, ...(extra ?? [])];
		const isSame = known?.folders.join("\0") === folders.join("\0");
		const work = known !== undefined && isSame ? known : this.begin(thread, folders, known);
		// What was not used for longest goes first.
		this.works.delete(thread.id);
		this.works.set(thread.id, work);
		if (this.works.size > WORKS_MAX) this.works.delete(this.works.keys().next().value ?? "");
		return work;
	}

	/** What was read in the thread is no longer known to whoever read it. All else is still so. */
	forgetRead(thread: Thread): void {
		const known = this.works.get(thread.id);
		if (known !== undefined) this.works.set(thread.id, this.begin(thread, known.folders, known));
	}

	delete(threadId: string): void {
		this.works.delete(threadId);
	}

	/** `known` is what was remembered of the thread before. */
	private begin(thread: Thread, folders: Folders, known: Work | undefined): Work {
		const { store, rules, privacyOf } = this.options;
		// What was allowed in one folder is not allowed in another.
		const approvals = known?.folders[0] === folders[0] ? known.approvals : undefined;
		return {
			folders,
			workspace: new Workspace(folders, privacyOf(folders)),
			approvals: approvals ?? new Approvals(store, thread.workspace, rules),
			gauge: known?.gauge ?? new Gauge(),
			model: known?.model,
		};
	}
}
