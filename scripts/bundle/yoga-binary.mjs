import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './places.mjs'

const dataUrl = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/

const ink = createRequire(createRequire(join(root, 'apps/tui/package.json')).resolve('ink'))
export const yogaLoaderPath = join(ink.resolve('yoga-layout'), '../../binaries/yoga-wasm-base64-esm.js')

/** Returns the layout engine, taken out of the module that contains it as text. */
export function yogaWasm() {
  const encoded = dataUrl.exec(readFileSync(yogaLoaderPath, 'utf8'))?.[1]
  if (encoded === undefined) throw new Error('yoga-layout no longer carries its wasm as a data URL')
  return Buffer.from(encoded, 'base64')
}

export function yogaLoaderWithoutBinary() {
  return readFileSync(yogaLoaderPath, 'utf8').replace(dataUrl, 'yoga.wasm')
}
