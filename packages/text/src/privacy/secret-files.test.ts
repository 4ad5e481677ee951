import { expect, test } from "vitest";
import { isSecretUri } from "./secret-files.js";

const SECRET = `
	.env .env.local .ENV .env.production.local .envrc prod.env .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials
	id_rsa id_ed25519 id_ecdsa_sk server.pem tls/private.key cert.p12 cert.pfx release.keystore upload.jks login.kdbx putty.ppk
	.aws/credentials .aws/config .docker/config.json .kube/config .ssh/config .ssh/keys/work .config/gh/hosts.yml
	credentials credentials.json credentials.toml .cargo/credentials.toml secrets.json secrets.yaml secrets.yml secret.toml
	client_secret_123.json service-account.json serviceAccountKey.json prod.tfvars prod.tfvars.json terraform.tfstate
	id_rsa.bak id_rsa_work id_rsa.txt id_rsa.json id_rsa.ts.bak id_rsa.prod id_rsa.example.org ID_RSA deploy_rsa github_ed25519 ssh_host_rsa_key kubeconfig prod.kubeconfig .npmrc.bak .yarnrc.yml
	.dev.vars .vault_pass .terraformrc .dockerconfigjson my-service-account-key.json shop-firebase-adminsdk-x1.json
	firebase-adminsdk-abc.json credentials.csv new_user_credentials.csv rootkey.csv .m2/settings.xml .gradle/gradle.properties
	.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .history
	.zhistory deploy_rsa.bak kubeconfig.bak kubeconfig~ server.pem.old github_ed25519.backup .aws/credentials.orig
	.local/share/fish/fish_history .git/config .git/modules/lib/config .GIT/Config
`;

const PLAIN = `
	main.ts environment.ts env.ts src/env/index.ts .env/bin/activate id_rsa.pub id_rsa.ts keys.ts monkey pem.md key config.json
	docker/config.json kube/config aws/config secrets.ts secrets/index.ts credentials.ts credentials/main.go my-secrets.md
	.gitignore tfvars.ts ssh/config service.json id_rsa_parser.py test_rsa.go deploy_rsa.pub id_rsa_work.pub rsa kubeconfig.ts
	gradle.properties app/settings.xml settings.xml .yarnrc yarnrc.yml history.ts history git/config service-account.ts
	users.csv firebase.json .gitmodules .history/main.ts npmrc.md main.ts.bak
	deploy_rsa.bak.ts zhistory id_rsa.scala id_rsa.dart id_rsa.ex id_rsa.zig id_rsa.vue id_rsa.md id_ed25519_test.c++ id_rsa.PY
	id_rsa_reader.svelte id_rsa.kt id_rsa.mjs id_rsa.tsx
`;

test.for(SECRET.trim().split(/\s+/))("a file named %s is secret in any folder", (name) => {
	for (const folder of ["file:///home/alice/app/", "file:///c%3A/app/", "vscode-remote://host/app/", "untitled:"]) {
		expect([folder, isSecretUri(`${folder}${name}`)]).toEqual([folder, true]);
	}
});

test.for(PLAIN.trim().split(/\s+/))("a file named %s is not secret", (name) => {
	expect(isSecretUri(`file:///home/alice/app/${name}`)).toBe(false);
});

test.for(["config\\.npmrc", ".ssh\\config", "C:\\app\\.env", "\\\\host\\share\\.aws\\config", ".env\\x", "app/.env"])(
	"the path %s is secret",
	(path) => {
		expect(isSecretUri(path)).toBe(true);
	},
);

test("the path src\\env.ts is not secret", () => {
	expect(isSecretUri("src\\env.ts")).toBe(false);
});

test("treats a URI that exceeds the maximum path length as secret, without matching it against patterns", () => {
	expect(isSecretUri(`file:///${"service-account".repeat(100_000)}.ts`)).toBe(true);
});

test.for(["service-account:", ":"])("a long URI that repeats %j is matched quickly", { timeout: 30_000 }, (piece) => {
	const uri = `x:/${piece.repeat(4000 / piece.length)}`;
	// If every colon started a search of the whole URI, this would exceed the timeout.
	for (let i = 0; i < 500; i++) expect(isSecretUri(`${uri}${i}`)).toBe(false);
});

test("returns the same result again, even after checking thousands of other files", () => {
	const ask = () => [".env", "main.ts"].map((name) => isSecretUri(`file:///app/${name}`));
	const first = ask();
	expect(ask()).toEqual(first);
	for (let i = 0; i < 3000; i++) expect(isSecretUri(`file:///app/${i}.ts`)).toBe(false);
	expect(ask()).toEqual(first);
	expect(first).toEqual([true, false]);
});

test("a file is secret no matter how its name is spelled", () => {
	expect(isSecretUri("file:///app/%2Eenv")).toBe(true);
	expect(isSecretUri("file:///app/%69d_rsa")).toBe(true);
	expect(isSecretUri("git:/app/.env?%7B%22ref%22%3A%22HEAD%22%7D")).toBe(true);
	expect(isSecretUri("file:///app/.env%20copy")).toBe(true);
});
