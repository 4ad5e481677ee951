import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Disk, openReal } from "./open-real.js";

/** A disk on which a folder is replaced with a link to an outside location before the marked calls. */
async function drawSwapping(swaps: readonly boolean[]): Promise<{ file: string; disk: Disk }> {
	const top = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), "segue-open-")));
	onTestFinished(() => fs.rm(top, { recursive: true }));
	const [folder, outside, link, free] = ["in", "out", "link", "free"].map((name) => path.join(top, name)) as [
		string,
		string,
		string,
		string,
	];
	for (const each of [folder, outside]) {
		await fs.mkdir(each);
		await fs.writeFile(path.join(each, "a"), path.basename(each));
	}
	await fs.symlink(outside, link);
	let calls = 0;
	const disk = new Proxy(fs as Disk, {
		get:
			(target, method: keyof Disk) =>
			async (...how: never[]) => {
				if (swaps[calls++] === true) {
					await fs.rename(folder, free);
					await fs.rename(link, folder);
					await fs.rename(free, link);
				}
				return (target[method] as (...how: never[]) => unknown)(...how);
			},
	});
	return { file: path.join(folder, "a"), disk };
}

async function read(file: string, disk: Disk): Promise<string | undefined> {
	await using handle = await openReal(file, disk);
	return handle?.readFile("utf8");
}

test.runIf(process.platform === "linux")(
	"opens no file outside if a folder is swapped with a link between any two calls",
	async () => {
		const results = new Set<string | undefined>();
		for (let bits = 0; bits < 2 ** 6; bits++) {
			const { file, disk } = await drawSwapping(Array.from({ length: 6 }, (_, i) => (bits & (1 << i)) !== 0));
			results.add(await read(file, disk));
		}
		expect([...results].sort()).toEqual(["in", undefined]);
	},
);

test("detects a swap without /proc, where only open and lstat see the link", async () => {
	const readlink = () => Promise.reject(new Error("ENOENT"));
	const { file, disk } = await drawSwapping([false, true, true, true]);
	const other: Disk = { lstat: disk.lstat, open: disk.open, realpath: disk.realpath, readlink };
	expect(await read(file, other)).toBeUndefined();
});

test("opens a file whose path the system reports with different capitalization", async () => {
	const { file, disk } = await drawSwapping([]);
	const readlink = (async () => file.toUpperCase()) as unknown as Disk["readlink"];
	expect(await read(file, { lstat: disk.lstat, open: disk.open, realpath: disk.realpath, readlink })).toBe("in");
});
