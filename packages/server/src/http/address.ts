import type { NetworkInterfaceInfo } from "node:os";

/** Those of a machine, as the system lists them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** What leads to a server on this machine, and what leads there from others. */
export function originsOf(
	host: string,
	port: number,
	interfaces: Interfaces,
): { readonly here: string; readonly elsewhere: readonly string[] } {
	const origin = (name: string) => `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
	if (!isEverywhere(host)) return { here: origin(host), elsewhere: [] };
	const others = Object.values(interfaces).flatMap((each) => each ?? []);
	const elsewhere = others.filter(({ internal, family, address }) => {
		// One that begins so holds on one wire only, and no browser can be told on which.
		const isOfOneWire = address.toLowerCase().startsWith("fe80:");
		return !internal && !isOfOneWire && (family === "IPv4" || host === "::");
	});
	return { here: origin("localhost"), elsewhere: elsewhere.map(({ address }) => origin(address)) };
}

/** Whether an address stands for all that a machine has. */
export function isEverywhere(host: string): boolean {
	return host === "0.0.0.0" || host === "::";
}
