import { expect, test } from "vitest";
import { withoutCredentials } from "./uri.js";

test.each<[string, string | undefined]>([
	["https://github.com/o/r.git", "https://github.com/o/r.git"],
	["https://user:secret@github.com/o/r.git", "https://github.com/o/r.git"],
	["https://ghp_secret@github.com/o/r", "https://github.com/o/r"],
	["https://x:secret@github.com:8443/o/r?token=secret#secret", "https://github.com:8443/o/r"],
	["HTTPS://user:se@cret@github.com/o/r", "HTTPS://github.com/o/r"],
	["ssh://user:secret@host:22/o/r.git", "ssh://host:22/o/r.git"],
	["ssh://git@host/o/r.git", "ssh://host/o/r.git"],
	["git@github.com:o/r.git", "git@github.com:o/r.git"],
	["secret@host:o/r.git", "host:o/r.git"],
	["host:o/r.git", "host:o/r.git"],
	["/srv/git/r.git", "/srv/git/r.git"],
	["C:\\git\\r", "C:\\git\\r"],
	["file:///srv/git/r.git", "file:///srv/git/r.git"],
	["https://user:sec/ret@host/o/r", undefined],
	["https://user:123/@host/o/r", undefined],
	["https://user:123#45@host/o/r", undefined],
	["https://user:sec\\ret@host/o/r", undefined],
	["user:secret@host:o/r.git", undefined],
	["user:secret@host/o/r.git", undefined],
	["codecommit::eu-west-1://secret@r", undefined],
	["@", undefined],
	["git+ssh://git:secret@host/o/r.git", "git+ssh://host/o/r.git"],
	["https://host/@scope/r", undefined],
	["", ""],
])("the address %s is sent as %s", (remoteUrl, expected) => {
	expect(withoutCredentials(remoteUrl)).toBe(expected);
});
