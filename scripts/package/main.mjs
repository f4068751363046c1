/**
 * Makes the packages: `npm run package -- FOLDER` writes parley-VERSION.tgz, parley-client-VERSION.tgz and
 * parley-protocol-VERSION.tgz there, from a new build, or with `--built` from the last one. The same sources give the
 * same bytes.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../bundle/places.mjs'
import { layOutLibrary } from './library.mjs'
import { names } from './names.mjs'
import { layOutProgram } from './program.mjs'

const words = process.argv.slice(2)
const out = words.find((word) => !word.startsWith('--'))
if (out === undefined) {
  console.error('usage: npm run package -- FOLDER')
  process.exit(2)
}
const target = resolve(out)
mkdirSync(target, { recursive: true })
if (!words.includes('--built')) {
  run(process.execPath, ['scripts/build.mjs', '--quiet'])
  run(join(root, 'node_modules/.bin/tsc'), ['-b', 'packages/client'])
}
const work = mkdtempSync(join(tmpdir(), 'parley-package-'))
try {
  const layouts = [
    (folder) => layOutProgram(folder),
    (folder) => layOutLibrary(names.client, folder),
    (folder) => layOutLibrary(names.protocol, folder),
  ]
  for (const [index, layOut] of layouts.entries()) {
    const folder = join(work, `${index}`)
    mkdirSync(folder)
    layOut(folder)
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], {
      cwd: folder,
      encoding: 'utf8',
    })
    const [{ filename, size, unpackedSize }] = Object.values(JSON.parse(packed))
    console.log(`${join(target, filename)}: ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

function run(command, args) {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
