import { readFileSync } from 'node:fs'
import load from 'yoga-layout/binary-loader'

/** Compiles the layout engine from the file beside the bundle, synchronously and without fetch. */
export default function loadYoga() {
  return load({
    instantiateWasm(imports, finished) {
      const module = new WebAssembly.Module(readFileSync(new URL('./yoga.wasm', import.meta.url)))
      const instance = new WebAssembly.Instance(module, imports)
      finished(instance)
      return instance.exports
    },
  })
}
