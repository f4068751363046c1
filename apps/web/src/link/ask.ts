import type { Client } from '@parley/client/browser'

/** Runs a request on the connection there is, and shows its error. */
export type Ask = (run: (client: Client) => Promise<unknown>) => void
