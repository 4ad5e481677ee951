/** How long a test waits for what another process does. Only what hangs meets it, however busy the machine is. */
export const WAIT = { timeout: 240_000, interval: 5 };
