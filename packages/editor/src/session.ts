import type { NesCapabilities, PositionEncoding } from "@segue/protocol/acp";
import type { Connection } from "@segue/rpc";

/** A session of next edits, on a connection that lives. */
export interface Session {
	readonly connection: Connection<"client">;
	readonly id: string;
	readonly encoding: PositionEncoding;
	/** What the agent asked to be told. */
	readonly asked: NesCapabilities;
}
