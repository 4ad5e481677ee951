import type { Workspace } from "@segue/predict";
import type { NesStart } from "@segue/protocol/acp";
import { withoutCredentials } from "@segue/text";

// More folders than anybody opens at once.
const FOLDERS_MAX = 100;

/**
 * What the client said of its workspace, as a scene has it. Clients should send the repository's address without secrets;
 * but what is in a scene may go into a prompt, and a client that forgot must not hand a token to a model.
 */
export function workspaceOf(start: NesStart): Workspace {
	const { workspaceUri, workspaceFolders, repository } = start ?? {};
	const remoteUrl = repository ? withoutCredentials(repository.remoteUrl) : undefined;
	return {
		uri: workspaceUri ?? undefined,
		folders: (workspaceFolders ?? []).slice(0, FOLDERS_MAX).map(({ uri, name }) => ({ uri, name })),
		repository:
			repository && remoteUrl !== undefined ? { name: repository.name, owner: repository.owner, remoteUrl } : undefined,
	};
}
