import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { isEntry } from './publish.mjs'

/** Prints the size of dist, and of the files that each program reads before its first line runs. */
export function reportSizes(results, outputs, tookMs) {
  for (const { metafile } of results) {
    // A lazily imported module counts as an entry point too; the program is the one with the plain name.
    const entry = Object.keys(metafile.outputs).find(isEntry) ?? Object.keys(metafile.outputs)[0]
    const all = Object.values(metafile.outputs).filter((output) => output.entryPoint || output.imports)
    const loaded = reachedStatically(metafile, entry).reduce((sum, name) => sum + metafile.outputs[name].bytes, 0)
    const total = all.reduce((sum, output) => sum + output.bytes, 0)
    console.log(`${basename(entry)}: ${kilobytes(loaded)} at start, ${kilobytes(total)} in ${all.length} files`)
  }
  const total = outputs.reduce((sum, { contents, from }) => sum + (from ? statSync(from).size : contents.length), 0)
  console.log(`dist: ${(total / 1e6).toFixed(1)} MB in ${outputs.length} files, built in ${Math.round(tookMs)} ms`)
}

function reachedStatically(metafile, entry) {
  const seen = new Set([entry])
  for (const name of seen) {
    for (const { path, kind, external } of metafile.outputs[name].imports) {
      if (kind === 'import-statement' && !external) seen.add(path)
    }
  }
  return [...seen]
}

const kilobytes = (bytes) => `${(bytes / 1e3).toFixed(0)} kB`
