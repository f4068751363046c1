/**
 * How Node runs a server; it runs without them too. The young generation stays small: it would grow to 48 MB, for a
 * fiftieth of the CPU of a flood. Most other flags would cost a start 10 ms: Node's own modules come compiled for none.
 */
export const serverNodeFlags = ['--max-semi-space-size=1'] as const
