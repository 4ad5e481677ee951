import { uriKey } from "./uri.js";

/** Whether a file's name says that it holds what nobody wants an engine to read or write: passwords, keys, tokens. */
export function isSecretUri(uri: string): boolean {
	return SECRET.test(uriKey(uri));
}

const SECRETS = [
	// What tools sign in with.
	/\.env[^/]*/,
	/[._]netrc/,
	/\.(?:npmrc|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|vault-token|git-credentials|s3cfg)/,
	/\.?(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|enc|tfrc\.json))?/,
	/(?:application_default_credentials|client_secret[^/]*|service[-_]?account[^/]*)\.json/,
	/id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?/,
	// What is told by its ending.
	/[^/]*\.(?:env|pem|key|p8|p12|pfx|ppk|keystore|jks|kdbx|gpg|ovpn|tfvars(?:\.json)?|tfstate(?:\.backup)?)/,
	// What is told by its folder.
	/\.(?:ssh|gnupg)\/.+/,
	/\.aws\/config/,
	/\.docker\/config\.json/,
	/\.kube\/config/,
	/\.config\/gh\/hosts\.yml/,
	/\.composer\/auth\.json/,
];

// Some editors name another version of a file by a query behind its path.
const SECRET = new RegExp(`(?:^|[/:])(?:${SECRETS.map(({ source }) => source).join("|")})(?:[?#]|$)`, "i");
