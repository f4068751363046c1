import { readFileSync } from 'node:fs'
import load from 'yoga-layout/binary-loader'

/** Returns the layout engine, compiled from the file beside the bundle, synchronously and without fetch. */
export default function loadYoga() {
  const engine = {
    instantiateWasm(imports, finished) {
      const module = new WebAssembly.Module(readFileSync(new URL('./yoga.wasm', import.meta.url)))
      const instance = new WebAssembly.Instance(module, imports)
      finished(instance)
      return instance.exports
    },
  }
  // Fills `engine` before it returns, since nothing is waited for.
  load(engine)
  return engine
}
