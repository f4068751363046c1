/**
 * How Node runs a server; it runs without them too. Given at launch because what is compiled, Node's own modules
 * included, is kept for the same flags only.
 * - The young generation stays small: it would grow to 48 MB, for a fiftieth of the CPU of a flood.
 * - WebAssembly stays unoptimised: the server's shell parser says why.
 */
export const serverNodeFlags = ['--max-semi-space-size=1', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] as const
