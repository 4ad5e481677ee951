import type { Format } from "./format.js";
import { chat } from "./formats/chat.js";
import { fill } from "./formats/fill.js";
import { fimFormats } from "./formats/fim.js";
import { instinct } from "./formats/instinct.js";
import { mercury } from "./formats/mercury.js";
import { nep, nepChat } from "./formats/nep.js";
import { sweep } from "./formats/sweep.js";
import { sweepApi, sweepLocal } from "./formats/sweep-api.js";
import { sweepV2 } from "./formats/sweep-v2.js";
import { xtab } from "./formats/xtab.js";
import { zeta1 } from "./formats/zeta-1.js";
import { zeta2 } from "./formats/zeta-2.js";
import { zeta21 } from "./formats/zeta-2-1.js";

const ALL: readonly Format[] = [
	zeta1,
	zeta2,
	zeta21,
	sweep,
	sweepV2,
	sweepApi,
	sweepLocal,
	instinct,
	mercury,
	xtab,
	chat,
	nep,
	nepChat,
	...fimFormats,
	fill,
];

/** Every format, by its name. */
export const FORMATS: ReadonlyMap<string, Format> = new Map(ALL.map((format) => [format.name, format]));
