/**
 * Bundles a program of a test from the sources as they are now, unless that is done, and prints its path. A process that
 * loads several hundred modules one by one takes 0.4 s of CPU for it, and the tests start more than a hundred.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './places.mjs'

const folder = join(root, 'node_modules/.cache/parley-tests/programs')

/** Leaves each module the place of its source: by it modules find assets, native parts and themselves. */
const ownPlaces = {
  name: 'own-places',
  setup({ onResolve, onLoad }) {
    // It looks for its program beside itself.
    onResolve({ filter: /^@vscode\/ripgrep$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
      external: true,
    }))
    onLoad({ filter: /\/packages\/[^/]+\/(?:src|test)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.')) return undefined
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { contents, loader: 'ts' }
    })
  },
}

async function bundled(source, name) {
  const startedAt = Date.now()
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: { [name]: source },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: `${name}-[hash]`,
    bundle: true,
    // Late imports stay apart, as in the built program.
    splitting: true,
    minifyWhitespace: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    conditions: ['@parley/source'],
    logLevel: 'error',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    // Bundled CommonJS parts call require for modules of Node.
    banner: { js: `import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);` },
    plugins: [ownPlaces],
  })
  const entry = entryOf(name)
  // Chunks first: another worker may start the program meanwhile.
  const inOrder = outputFiles.toSorted((one, other) => Number(one.path === entry) - Number(other.path === entry))
  for (const { path, contents } of inOrder) replaceFile(path, contents)
  removeOthers(name, new Set(outputFiles.map(({ path }) => basename(path))))
  const inputs = [...Object.keys(metafile.inputs), relative(root, import.meta.filename), 'pnpm-lock.yaml']
  replaceFile(recordOf(name), JSON.stringify({ root, startedAt, inputs }))
  return entry
}

const entryOf = (name) => join(folder, `${name}.mjs`)
/** File with the place and time of a bundle, and all that went into it. */
const recordOf = (name) => join(folder, `${name}.json`)

/** Returns true when nothing that went into a bundle has changed or moved since: modules know the place of their source. */
function isFresh(name) {
  if (!existsSync(entryOf(name)) || !existsSync(recordOf(name))) return false
  const { root: place, startedAt, inputs } = JSON.parse(readFileSync(recordOf(name), 'utf8'))
  if (place !== root) return false
  return inputs.every((input) => {
    const found = statSync(join(root, input), { throwIfNoEntry: false })
    return found !== undefined && found.mtimeMs < startedAt
  })
}

/** Waits for the lock of a program: the workers of one run ask for the same one at the same time. */
async function locked(name) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.lock`)
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}`, { flag: 'wx' })
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    // Two processes that take over a lock at the same time bundle the same.
    if (isOfDead(path)) rmSync(path, { force: true })
    await delay(20)
  }
}

function isOfDead(path) {
  try {
    process.kill(Number.parseInt(readFileSync(path, 'utf8'), 10), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** Removes the chunks of earlier sources. Workers of one run write the same ones. */
function removeOthers(name, ours) {
  const isOld = (file) => file.startsWith(`${name}-`) && file.endsWith('.mjs') && !ours.has(file)
  for (const file of readdirSync(folder).filter(isOld)) rmSync(join(folder, file), { force: true })
}

function replaceFile(path, contents) {
  const written = `${path}.${randomUUID()}`
  writeFileSync(written, contents)
  renameSync(written, path)
}

const source = process.argv[2]
const name = basename(source, '.ts')
using _lock = await locked(name)
console.log(isFresh(name) ? entryOf(name) : await bundled(source, name))
