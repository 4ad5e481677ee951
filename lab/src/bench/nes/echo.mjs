// The least that a process can do with lines: it writes each back. The agent is measured against it.

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
	const lines = (rest + chunk).split("\n");
	rest = lines.pop() ?? "";
	for (const line of lines) process.stdout.write(`${line}\n`);
});
