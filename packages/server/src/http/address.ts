import type { NetworkInterfaceInfo } from "node:os";

/** The machine's network interfaces, as returned by `os.networkInterfaces`. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Returns the server's origins: one for use on this machine, and those for use from other machines. */
export function originsOf(
	host: string,
	port: number,
	interfaces: Interfaces,
): { readonly here: string; readonly elsewhere: readonly string[] } {
	const origin = (name: string) => `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
	if (!isEverywhere(host)) return { here: origin(host), elsewhere: [] };
	const others = Object.values(interfaces).flatMap((each) => each ?? []);
	const elsewhere = others.filter(({ internal, family, address }) => {
		// Link-local addresses need a zone id, which browsers don't support.
		const isLinkLocal = address.toLowerCase().startsWith("fe80:");
		return !internal && !isLinkLocal && (family === "IPv4" || host === "::");
	});
	return { here: origin("localhost"), elsewhere: elsewhere.map(({ address }) => origin(address)) };
}

/** Whether the server listens on all of the machine's addresses. */
export function isEverywhere(host: string): boolean {
	return host === "0.0.0.0" || host === "::";
}
