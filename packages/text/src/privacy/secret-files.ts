import { SOURCE_EXTENSIONS } from "../language.js";
import { schemeOf, uriKey } from "../uri.js";

// The maximum length of a path on Linux. A longer path cannot name a file, and some patterns below take quadratic time.
const KEY_LENGTH_MAX = 4096;

/**
 * Whether a file's name suggests that it contains passwords, keys or tokens. This is the only list of such names: the
 * editor, the engine, next-edit models and chat tools all use it. Case-insensitive, because file systems may be.
 */
export function isSecretUri(uri: string): boolean {
	if (uri.length > URI_LENGTH_MAX) return isSecret(uri);
	let answer = ANSWERS.get(uri);
	if (answer === undefined) {
		answer = isSecret(uri);
		if (ANSWERS.size >= ANSWERS_MAX) ANSWERS.clear();
		ANSWERS.set(uri, answer);
	}
	return answer;
}

// Each request checks all files that the user has open or has changed, and matching takes microseconds.
const ANSWERS_MAX = 1024;
// Longer URIs are rare and would make the cache large.
const URI_LENGTH_MAX = 512;
const ANSWERS = new Map<string, boolean>();

function isSecret(uri: string): boolean {
	const key = uriKey(uri);
	if (key.length > KEY_LENGTH_MAX || SECRET.test(key)) return true;
	// A Windows path.
	return key.includes("\\") && schemeOf(uri) === undefined && SECRET.test(key.replaceAll("\\", "/"));
}

// Private key files are often copied to names such as id_rsa.bak or id_rsa_work. Code and prose about such files are
// not keys.
const EXTENSIONS = ["pub", ...SOURCE_EXTENSIONS].map((extension) => extension.replaceAll("+", "\\+")).join("|");
const NOT_A_KEY = new RegExp(`(?![^/?#]*\\.(?:${EXTENSIONS})(?:[?#]|$))`);
const KEY_KIND = /(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?/;

// A name can also start after a colon. A prefix of any length is therefore written `[^/:]*`: it ends where the next
// search starts, so that a URI with many colons is not searched to its end from each colon.
const SECRETS = [
	// Credentials used by tools.
	/\.env[^/]*/,
	/\.dev\.vars[^/]*/,
	/[._]netrc/,
	/\.npmrc[^/]*/,
	/\.yarnrc\.yml/,
	/\.(?:pypirc|pgpass|my\.cnf|htpasswd|dockercfg|dockerconfigjson|vault-token|git-credentials|s3cfg|terraformrc)/,
	/terraform\.rc/,
	/\.vault[-_]pass(?:word)?(?:\.txt)?/,
	/kubeconfig(?:\.ya?ml)?/,
	/\.?(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|enc|tfrc\.json))?/,
	/[^/:]*credentials\.csv/,
	/(?:rootkey|[^/:]*accesskeys)\.csv/,
	/(?:application_default_credentials|client_secret[^/]*|[^/:]*service[-_]?account[^/]*|[^/:]*firebase-adminsdk-[^/]*)\.json/,
	// Private SSH keys.
	new RegExp(`id_${KEY_KIND.source}${NOT_A_KEY.source}[^/]*`),
	new RegExp(`[^/:]*_${KEY_KIND.source}`),
	/ssh_host_[a-z\d]+_key/,
	// Shell and console histories, which contain passwords that were typed as arguments.
	/\.(?:[a-z\d_]+[-_]|z)?history/,
	/(?:fish_history|consolehost_history\.txt|\.histfile)/,
	// By extension.
	/[^/:]*\.(?:env|pem|key|p8|p12|pfx|ppk|keystore|jks|kdbx|gpg|ovpn|kubeconfig|tfvars(?:\.json)?|tfstate(?:\.backup)?)/,
	// By folder.
	/\.(?:ssh|gnupg)\/.+/,
	/\.aws\/config/,
	/\.docker\/config\.json/,
	/\.kube\/config/,
	/\.config\/gh\/hosts\.yml/,
	/\.composer\/auth\.json/,
	/\.m2\/settings(?:-security)?\.xml/,
	/\.gradle\/(?:.+\/)?gradle\.properties/,
	// A remote's URL may contain a token.
	/\.git\/(?:.+\/)?config(?:\.worktree)?/,
];

// A backup made by a user, an editor or a tool.
const BACKUP = /(?:\.(?:bak|backup|old|orig|save|copy)\d{0,4}|~)/;

// Some editors refer to another version of a file with a query after its path.
const SECRET = new RegExp(
	`(?:^|[/:])(?:${SECRETS.map(({ source }) => source).join("|")})${BACKUP.source}?(?:[?#]|$)`,
	"i",
);
