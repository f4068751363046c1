/**
 * Called first of all: what Node keeps of compiled code is good for the same flags only.
 * - The young generation stays at its first megabyte: it would grow to 48, for a fiftieth of the CPU of a flood.
 * - WebAssembly stays unoptimised: for the shell grammar's one huge function that takes 500 MB and 200 ms of CPU, to
 *   read a command in 10 µs instead of 15.
 */
export function setV8Flags(): void {
  const v8 = process.getBuiltinModule('node:v8')
  for (const flag of ['--semi-space-growth-factor=1', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
    v8.setFlagsFromString(flag)
}
