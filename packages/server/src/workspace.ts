import type { Workspace } from "@segue/predict";
import type { NesStart } from "@segue/protocol/acp";

// More folders than anybody opens at once.
const FOLDERS_MAX = 100;

/** What the client said of its workspace, as a scene has it. */
export function workspaceOf(start: NesStart): Workspace {
	const { workspaceUri, workspaceFolders, repository } = start ?? {};
	return {
		uri: workspaceUri ?? undefined,
		folders: (workspaceFolders ?? []).slice(0, FOLDERS_MAX).map(({ uri, name }) => ({ uri, name })),
		repository: repository
			? { name: repository.name, owner: repository.owner, remoteUrl: withoutCredentials(repository.remoteUrl) }
			: undefined,
	};
}

/**
 * The address of a repository without what may be secret in it. Clients should send it so; but what is in a scene may go
 * into a prompt, and a client that forgot must not hand a token to a model.
 */
function withoutCredentials(remoteUrl: string): string {
	const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(remoteUrl) ?? [];
	// As `ssh` writes it: `git@github.com:alice/my-app.git`, with a user's name and never a password.
	if (scheme === undefined) return remoteUrl.replace(/^[^/@]*:[^/]*@/s, "");
	// A password with a slash in it, which belongs escaped, looks like a host with a strange port.
	const hasStrayPassword = /^[^/@]*:(?!\d*(?:\/|$))[^/@]*\//.test(rest) && rest.includes("@");
	const [address = ""] = (hasStrayPassword ? rest.slice(rest.lastIndexOf("@") + 1) : rest).split(/[?#]/);
	const user = /^[^/]*@/.exec(address)?.[0] ?? "";
	// Over https a name alone may be a token; over ssh it says which account, mostly `git`.
	const name = /ssh/i.test(scheme) ? (user.split(/[:@]/)[0] ?? "") : "";
	return scheme + (name === "" ? "" : `${name}@`) + address.slice(user.length);
}
