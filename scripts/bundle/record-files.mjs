import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildFolder, distFolder, root } from './places.mjs'

/**
 * Records the files of a build, relative to dist, and the folders of the packages they come from, relative to the
 * checkout. The folder of the build also has files of earlier builds. Throws for a file name that depends on the folder
 * of the checkout: two builds of the same sources are the same.
 */
export function recordFiles(results, outputs) {
  const inputs = results.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap((output) =>
      Object.keys(output.inputs).filter((path) => output.inputs[path].bytesInOutput > 0),
    ),
  )
  const placed = inputs.filter((path) => path.includes(root))
  if (placed.length > 0) throw new Error(`Names of files would depend on where the checkout lies: ${placed[0]}`)
  const sources = outputs.flatMap(({ source, from = source }) => (from === undefined ? [] : [relative(root, from)]))
  const packages = [...inputs, ...sources].flatMap((path) => packageFolder.exec(path)?.[0] ?? [])
  const files = outputs.map(({ path }) => relative(distFolder, path)).sort()
  writeFileSync(join(buildFolder, 'files.json'), JSON.stringify({ files, packages: [...new Set(packages)].sort() }))
}

/** Folder of a package in a plain path. A plugin puts its name and a colon before a path of its own. */
const packageFolder = /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/
