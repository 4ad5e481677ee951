import { createServer } from "node:net";
import { expect, test } from "vitest";
import { StoreError } from "../failures.js";
import { openPostgresStore } from "./postgres.js";

test.for<[what: string, answer: Buffer | undefined, sentence: RegExp]>([
	[
		"ends the connection",
		undefined,
		/^The PostgreSQL server cannot be reached, or not any more: .*Check that it runs, and its URL\.$/,
	],
	[
		"refuses the password",
		errorMessage("28P01", 'password authentication failed for user "alice"'),
		/^The PostgreSQL server did not let us in: password/,
	],
	[
		"has no such database",
		errorMessage("3D000", 'database "threads" does not exist'),
		/^The PostgreSQL server has no such database: database/,
	],
	["is full", errorMessage("53100", "could not extend file"), /^The disk of the PostgreSQL server is full\. /],
])("a server that %s is told of in a sentence without the password", async ([, answer, sentence]) => {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => (answer === undefined ? socket.destroy() : socket.end(answer)));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const error = await failureOf(`postgres://alice:hunter2@127.0.0.1:${port}/threads`);
	expect(error.message).toMatch(sentence);
	server.close();
});

test("a server that does not run is told of in a sentence without the password", async () => {
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

/** As the server writes it: a letter, a length, and fields of a letter and a text that ends with a NUL. */
function errorMessage(code: string, text: string): Buffer {
	const fields = Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`);
	const head = Buffer.alloc(5);
	head.write("E");
	head.writeInt32BE(fields.length + 4, 1);
	return Buffer.concat([head, fields]);
}
