import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Text } from "../text.js";
import { addsMask, isKeyFile, keySpansIn, maskKeys, maskKeysIn } from "./key-material.js";

// Written in two parts, so that secret scanners don't mistake them for real keys.
const letters = (count: number, of = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz") => of.repeat(20).slice(0, count);
const PRIVATE = ["PRIVATE", "KEY"].join(" ");
const body = Array.from({ length: 12 }, (_, i) => letters(64, `${i}MIIEpAIBAAKCAQEA7xY+/z9Qw`));
const pem = (kind: string, end = "\n") =>
	[`-----BEGIN ${kind}${PRIVATE}-----`, ...body, "aGk5==", `-----END ${kind}${PRIVATE}-----`].join(end);

const TOKENS = {
	"AWS access key": `AKIA${"IOSFODNN7EXAMPLE".replace(/[0189]/g, "Q")}`,
	GitHub: `ghp_${letters(36)}`,
	"GitHub fine-grained": `github_pat_${letters(22)}_${letters(59)}`,
	GitLab: `glpat-${letters(20)}`,
	OpenAI: `sk-${letters(48)}`,
	"OpenAI project": `sk-proj-${letters(60)}`,
	Anthropic: `sk-ant-api03-${letters(80)}-AA`,
	Slack: `xoxb-1234567890-${letters(24)}`,
	Google: `AIza${letters(35)}`,
	"Google OAuth": `ya29.${letters(60)}`,
	Stripe: `sk_live_${letters(24)}`,
	npm: `npm_${letters(36)}`,
	JWT: `eyJ${letters(30)}.eyJ${letters(60)}.${letters(43)}`,
};

describe("key material", () => {
	test.for(Object.entries(TOKENS))("is masked: %s", ([, token]) => {
		for (const [before, after] of [
			["const k = '", "';"],
			["K=", ""],
			["curl -u ", " https://example.com"],
			["[", "]"],
		]) {
			const masked = maskKeys(`${before}${token}${after}\nlog()\n`);
			expect(masked).not.toContain(token.slice(0, 12));
			expect(masked).toBe(`${before}${"REDACTED_SECRET_".repeat(20).slice(0, token.length)}${after}\nlog()\n`);
		}
	});

	test.for([
		["a block", pem("RSA ")],
		["PKCS #8", pem("")],
		["CRLF", pem("OPENSSH ", "\r\n")],
		["with headers", pem("RSA ").replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n")],
		["a literal", `const key = ${JSON.stringify(pem("EC "))};`],
		[
			"literals",
			pem("")
				.split("\n")
				.map((line) => `  "${line}\\n"`)
				.join(" +\n"),
		],
		["in YAML", `key: |\n${pem("").replace(/^/gm, "    ")}\n`],
		["with a line being typed", pem("").replace("\n3", "\nconst a = (\n3")],
		["with another key in the middle", pem("").replace("\n3", `\n${pem("EC ")}\n3`)],
		["without a BEGIN line", pem("").split("\n").slice(2).join("\n")],
		["in a comment", pem("").replace(/^/gm, " * ")],
		["without an END line", `${pem("").replace(/\n-----END.*/, "")}\nand some words here`],
		[
			"PGP",
			pem("PGP ").replaceAll("KEY-", "KEY BLOCK-").replace("-----\n", "-----\nVersion: GnuPG v1.4.11 (GNU/Linux)\n\n"),
		],
	] as const)("is masked in a private key: %s", ([, text]) => {
		const masked = maskKeys(`before()\n${text}\nafter(1)`);
		for (const line of body) expect(masked).not.toContain(line.slice(0, 12));
		expect(masked).toContain("PRIVATE KEY");
		expect(masked).toMatch(/^before\(\)\n[\s\S]*after\(1\)$/);
		expect(masked).not.toMatch(/REDACTED[\s\S]*some R|RE words/);
	});

	test.for([
		`API_KEY=${letters(32)}\n`,
		`password: "${letters(24)}"`,
		`{"client_secret": "${letters(40)}"}`,
		`aws_secret_access_key = ${letters(40)}`,
		`token = '${letters(20, "0123456789abcdef")}'`,
		`headers: { Authorization: "Bearer ${letters(30)}" }`,
	])("is masked after the name of a secret: %j", (text) => {
		expect(maskKeys(text)).toContain("REDACTED_SECRET_");
		expect(maskKeys(text)).not.toContain(letters(20));
	});

	test("includes any AWS secret access key", () => {
		const someKey = fc
			.array(fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"), {
				minLength: 40,
				maxLength: 40,
			})
			.map((key) => key.join(""))
			.filter((key) => /[a-z]/.test(key) && /[A-Z]/.test(key));
		const someName = fc.constantFrom(
			"aws_secret_access_key",
			"secretAccessKey",
			"AWS_SECRET_ACCESS_KEY",
			"SecretAccessKey",
		);
		fc.assert(
			fc.property(someName, fc.constantFrom("", "'", '"'), someKey, (name, quote, key) => {
				expect(maskKeys(`${name} = ${quote}${key}${quote}\n`)).not.toContain(key);
			}),
			{ examples: [["aws_secret_access_key", "", letters(40, "aBcDeFgHiJkLmNoPqRsTuVwXyZ+/")]] },
		);
	});

	test.for([
		'if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) throw new InvalidPrivateKeyException(text)\nconst end = "-----END RSA PRIVATE KEY-----"',
		'const password = "correct horse battery staple"',
		"const token = await generateTokenForCurrentUser(session)",
		"const apiKey = process.env.SHOP_API_KEY_2024_08_PRODUCTION",
		'const secret = "my-secret-value-for-tests-please-change-me"',
		"password=$(DATABASE_PASSWORD_FOR_STAGE_2024)",
		'const tokenType = "sk-circle-fade-dot sk-child sk-circle-dot-12"',
		"task-0123456789abcdef0123456789abcdef01234567",
		"sha512-z3KzFqGrTaWRzXcVbEjN7jXl8Mo8nUq0y2rWc0G8xQpR1Zb9LhT4sKd6fVv5mYw==",
		"Authorization: Bearer $token",
		"const id = '3f2504e0-4f89-11d3-9a0c-0305e82c3301'",
		"import { AKIA } from 'eyJ'; xox(); ghp_(1)",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEbF3yXzANBgkqhkiG9w0BAQsFADBs\n-----END CERTIFICATE-----",
	])("is not found in other text: %j", (text) => {
		expect(maskKeys(text)).toBe(text);
	});

	test("is found in linear time", () => {
		const hostile = [
			"-----BEGIN PRIVATE KEY-----",
			"Private-Lines: 1Version: ",
			"token=",
			"eyJaaaaaaaaaaaa-",
			"eyJaaaaaaaaaaaa.",
			"AKIA",
			"sk-ant-",
			"password='",
			"SG.aaaaaaaaaaaaaaaaaaaa",
			"\\n",
			"authorization: bearer ",
		];
		for (const piece of hostile) {
			for (const end of ["", ".", "-----BEGIN PRIVATE KEY-----", "("]) {
				// Quadratic time would take minutes.
				expect(maskKeys(piece.repeat(20_000) + end).length).toBe(piece.length * 20_000 + end.length);
			}
		}
	});
});

// Keys mixed with code, prose and text that resembles a key.
const somePiece = fc.constantFrom(
	...Object.values(TOKENS),
	pem("RSA "),
	pem("", "\r\n"),
	`password = "${letters(24)}"`,
	"-----BEGIN PRIVATE KEY-----",
	"-----END PRIVATE KEY-----",
	"REDACTED_SECRET_",
	"const x = 1",
	"AKIA",
	"sk-ant-",
	"eyJ",
	"token=",
	'"',
	"😀",
	"\\n",
);
const someSeparator = fc.constantFrom("\n", "\r\n", " ", '"', "'", "=", ":", ", ", "\n\n");
const someText = fc
	.array(fc.tuple(fc.oneof(somePiece, fc.string({ unit: "binary" })), someSeparator), { maxLength: 12 })
	.map((pieces) => pieces.flat().join(""));

describe("masking", () => {
	test("keeps length and line breaks, and is idempotent", () => {
		fc.assert(
			fc.property(someText, (text) => {
				const masked = maskKeys(text);
				expect(masked).toHaveLength(text.length);
				expect(masked.replace(/[^\r\n]/g, ".")).toBe(text.replace(/[^\r\n]/g, "."));
				expect(maskKeys(masked)).toBe(masked);
			}),
		);
	});

	test("leaves no token and no line of a key unmasked", () => {
		fc.assert(
			fc.property(someText, (text) => {
				const masked = maskKeys(text);
				for (const line of body) expect(masked).not.toContain(line);
				for (const token of Object.values(TOKENS)) {
					// Directly after a letter, a token is part of another word.
					const rest = masked.split(token).slice(0, -1);
					for (const before of rest) expect(before).toMatch(/[A-Za-z0-9_-]$/);
				}
			}),
		);
	});

	test("masking a document gives the same result as masking its text, in every version", () => {
		fc.assert(
			fc.property(
				someText,
				fc.array(fc.tuple(fc.nat(), fc.nat({ max: 40 }), someText), { maxLength: 5 }),
				(start, edits) => {
					let text = Text.of(start.repeat(3));
					for (const [at, length, insert] of edits) {
						const from = at % (text.length + 1);
						text = text.replace(from, Math.min(from + length, text.length), insert);
						const expected = maskKeys(text.toString());
						expect(maskKeysIn(text).toString()).toBe(expected);
						const covered = keySpansIn(text).map(({ from, to }) => text.slice(from, to));
						expect(covered.length > 0 || expected === text.toString()).toBe(true);
					}
				},
			),
		);
	});

	test("returns the same object for a text without keys", () => {
		const text = Text.of("let total = 1\n".repeat(1000));
		expect(maskKeysIn(text)).toBe(text);
	});
});

test("detects a copied mask, but not an existing one", () => {
	const masked = maskKeys(`k = "${TOKENS.GitHub}"`);
	expect(addsMask(`k = "${TOKENS.GitHub}"`, masked)).toBe(true);
	expect(addsMask(masked, `${masked} // const`)).toBe(false);
	expect(addsMask("", "let x = 1")).toBe(false);
});

test.for(["\r\n", "\r", "\n"])("comment lines that end with %j are read in linear time", (end) => {
	// A pattern that matches a line ending in two ways would take hours.
	const comments = `// licence${end}`.repeat(60);
	expect(isKeyFile(`${comments}export const x = 1;${end}`)).toBe(false);
	expect(isKeyFile(comments)).toBe(false);
	expect(isKeyFile(` \t${end}`.repeat(1000))).toBe(false);
	expect(isKeyFile(comments + pem("RSA ", end))).toBe(true);
});

test.for([
	[true, pem("RSA ")],
	[true, `\ufeff\n\n${pem("")}`],
	[true, `# my key\n${pem("OPENSSH ")}`],
	[true, `Bag Attributes\r\n    localKeyID: 01 00\r\nKey Attributes: <No Attributes>\r\n${pem("")}`],
	[true, "PuTTY-User-Key-File-3: ssh-ed25519\n"],
	[true, `# created: today\n# public key: age1\nAGE-SECRET-KEY-1${letters(58).toUpperCase()}`],
	[false, `const key = \`${pem("")}\``],
	[false, "-----BEGIN CERTIFICATE-----\nMIID"],
	[false, ""],
	[false, "# -----BEGIN PRIVATE KEY-----"],
] as const)("recognizes a key file by its start: %s, %j", ([expected, text]) => {
	expect(isKeyFile(text)).toBe(expected);
});
