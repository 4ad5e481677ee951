import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Kysely, SqliteDialect, sql } from "kysely";
import Database from "libsql";
import { expect, test } from "vitest";
import { openEmbeddedStore } from "./embedded.js";
import { MIGRATIONS, migrate, type Tables } from "./schema.js";

const AT = "2030-01-01T00:00:00.000Z";

test.for(MIGRATIONS.map((_, i) => i))("a version %i store is migrated with all its data", async (version) => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-schema-"));
	const file = path.join(folder, "segue.db");
	const old = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Database(file) }) });
	await migrate(old, "embedded", MIGRATIONS.slice(0, version));
	const thread = { id: "a", title: "Kept", workspace: "/w", modifiedAt: AT };
	if (version > 0) {
		const values = { id: "a", title: "Kept", workspace: "/w", modified: AT, ...(version >= 6 && { last: 1 }) };
		await old.insertInto("threads").values(values).execute();
		const row = { thread: "a", number: 1, turn: "t", at: AT, type: "text", text: "Hello", rest: "{}" };
		await old.insertInto("entries").values(row).execute();
	}
	// Before owners were stored, only this user could write to the store.
	if (version === 3) await sql`insert into allowances values ('/w', 'edit', 'b.ts')`.execute(old);
	await old.destroy();

	const opened = await Promise.all([1, 2].map(() => openEmbeddedStore(file, new Date(AT))));
	const [{ store, feedback }, other] = [opened[0], opened[1]] as [(typeof opened)[0] & {}, (typeof opened)[0] & {}];
	if (version === 0) {
		await store.create(thread);
		await store.append("a", "t", AT, { type: "text", text: "Hello" });
	}
	await store.more("a", 1, ", world");
	await store.allow("/w", { kind: "edit", subject: "a.ts" });
	expect(await other.store.list({ limit: 9 })).toEqual([thread]);
	expect((await other.store.entries("a")).map(({ body }) => body)).toEqual([{ type: "text", text: "Hello, world" }]);
	expect(await store.append("a", "t", AT, { type: "end", reason: "done" })).toMatchObject({ number: 2 });
	const subjects = (await other.store.allowances("/w")).map(({ subject }) => subject);
	expect(subjects.toSorted()).toEqual(version === 3 ? ["a.ts", "b.ts"] : ["a.ts"]);
	const outcome = { at: AT, predictor: "rename", model: undefined, language: "go", latencyMs: 1, verdict: undefined };
	const seen = { id: "s", kind: "edit", trigger: "manual", chance: 0.9, features: {}, ...outcome };
	await feedback.keep([seen], new Date(AT));
	expect(await other.feedback.outcomes("")).toEqual([outcome]);
	for (const each of opened) await each.store.close();
	rmSync(folder, { recursive: true });
});
