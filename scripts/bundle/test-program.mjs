/**
 * Bundles a program of a test from the sources as they are now, and prints its path. A process that loads several hundred
 * modules one by one takes 0.4 s of CPU for it, and the tests start more than a hundred.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
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

async function bundled(source) {
  const name = basename(source, '.ts')
  const { outputFiles } = await build({
    entryPoints: { [name]: source },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: `${name}-[hash]`,
    bundle: true,
    // What a program imports late stays apart, as in the built one.
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
  const entry = join(folder, `${name}.mjs`)
  mkdirSync(folder, { recursive: true })
  // Chunks first: another worker may start the program meanwhile.
  const inOrder = outputFiles.toSorted((one, other) => Number(one.path === entry) - Number(other.path === entry))
  for (const { path, contents } of inOrder) replaceFile(path, contents)
  removeOthers(name, new Set(outputFiles.map(({ path }) => basename(path))))
  return entry
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

console.log(await bundled(process.argv[2]))
