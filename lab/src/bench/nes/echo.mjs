// The baseline for the agent: a process that echoes each line.

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
	const lines = (rest + chunk).split("\n");
	rest = lines.pop() ?? "";
	for (const line of lines) process.stdout.write(`${line}\n`);
});
