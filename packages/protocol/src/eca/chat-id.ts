import * as z from "zod";

/** Minted by either end. One editor has numbers, and gets them back as numbers. */
export const chatId = z.union([z.string(), z.number()]);
export type ChatId = z.output<typeof chatId>;
