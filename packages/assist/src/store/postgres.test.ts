import { createServer } from "node:net";
import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import { openPostgresStore } from "./postgres.js";

test.for<[what: string, answer: Buffer | undefined, message: RegExp]>([
	[
		"closes the connection",
		undefined,
		/^The PostgreSQL server cannot be reached: .*Check that it is running and that its URL is correct\.$/,
	],
	[
		"refuses the password",
		errorMessage("28P01", 'password authentication failed for user "alice"'),
		/^Signing in to the PostgreSQL server failed: password/,
	],
	[
		"has no such database",
		errorMessage("3D000", 'database "threads" does not exist'),
		/^The database does not exist on the PostgreSQL server: database/,
	],
	["is full", errorMessage("53100", "could not extend file"), /^The PostgreSQL server's disk is full\. /],
])("a server that %s leads to a readable error without the password", async ([, answer, message]) => {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => (answer === undefined ? socket.destroy() : socket.end(answer)));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const error = await failureOf(`postgres://alice:hunter2@127.0.0.1:${port}/threads`);
	expect(error.message).toMatch(message);
	server.close();
});

test("a server that is not running leads to a readable error without the password", async () => {
	// Nothing listens on port 1.
	const error = await failureOf("postgres://alice:hunter2@127.0.0.1:1/threads");
	expect(error.message).toMatch(/^The PostgreSQL server cannot be reached.*ECONNREFUSED/);
});

async function failureOf(url: string): Promise<Error> {
	const error = await openPostgresStore(url).catch((reason: unknown) => reason);
	if (!(error instanceof StoreError)) throw error;
	expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain("hunter2");
	return error;
}

/**
 * Returns an error in wire format: a letter, a length, and fields that each have a letter and a NUL-terminated string.
 */
function errorMessage(code: string, text: string): Buffer {
	const fields = Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`);
	const head = Buffer.alloc(5);
	head.write("E");
	head.writeInt32BE(fields.length + 4, 1);
	return Buffer.concat([head, fields]);
}
