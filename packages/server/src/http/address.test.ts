import { expect, test } from "vitest";
import { type Interfaces, originsOf } from "./address.js";

const about = { netmask: "", mac: "", cidr: null };
const MACHINE: Interfaces = {
	lo: [
		{ ...about, address: "127.0.0.1", family: "IPv4", internal: true },
		{ ...about, address: "::1", family: "IPv6", internal: true, scopeid: 0 },
	],
	eth0: [
		{ ...about, address: "192.168.1.5", family: "IPv4", internal: false },
		{ ...about, address: "2001:db8::5", family: "IPv6", internal: false, scopeid: 0 },
		{ ...about, address: "fe80::5", family: "IPv6", internal: false, scopeid: 2 },
	],
	tun0: undefined,
};

test.each<[string, string, readonly string[]]>([
	["127.0.0.1", "http://127.0.0.1:4747", []],
	["::1", "http://[::1]:4747", []],
	["192.168.1.5", "http://192.168.1.5:4747", []],
	["0.0.0.0", "http://localhost:4747", ["http://192.168.1.5:4747"]],
	["::", "http://localhost:4747", ["http://192.168.1.5:4747", "http://[2001:db8::5]:4747"]],
])(
	"a server on %s has the origin %s on this machine, and the expected origins on the network",
	(host, here, elsewhere) => {
		expect(originsOf(host, 4747, MACHINE)).toEqual({ here, elsewhere });
	},
);
