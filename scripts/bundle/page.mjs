import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { distFolder, root } from './places.mjs'

const folder = join(distFolder, 'web')
const source = join(root, 'apps/web/src')

const common = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  target: ['chrome123', 'firefox121', 'safari17.5'],
  format: 'esm',
  conditions: ['@parley/source'],
  // The pages use no part of a package that needs one of these; a check follows below.
  external: ['node:*'],
  minify: true,
  legalComments: 'none',
  jsx: 'automatic',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  metafile: true,
  write: false,
  logLevel: 'warning',
}

/** Builds the page for browsers: one script, one style sheet, one document. Throws when a part of it needs Node. */
export async function buildPage(define) {
  const entryPoints = { page: join(source, 'main.tsx'), style: join(source, 'page/page.css') }
  const { outputFiles, metafile } = await build({ ...common, entryPoints, platform: 'browser', define })
  const script = outputFiles.find(({ path }) => path.endsWith('page.js'))
  const style = outputFiles.find(({ path }) => path.endsWith('style.css'))
  const frozen = await buildFrozenPage({ ...define, ...styleNames(style.text) })
  for (const { text } of [script, frozen.script]) {
    const needed = /(?:from|import|require\()\s*["'](node:[^"']+)/.exec(text)
    if (needed !== null) throw new Error(`the page for browsers imports ${needed[1]}`)
  }
  const files = [
    { path: join(folder, 'page.js'), contents: script.contents },
    { path: join(folder, 'page.css'), contents: style.contents },
    { path: join(folder, 'index.html'), contents: readFileSync(join(source, 'page/index.html')) },
    { path: join(folder, 'frozen.cjs'), contents: frozen.script.contents },
  ]
  return { results: [{ metafile }, frozen], files }
}

/** Builds what writes the page as a document without scripts, for `parley export`. */
async function buildFrozenPage(define) {
  const entryPoints = { frozen: join(source, 'frozen/frozen-page.tsx') }
  // The part for browsers of the renderer needs no streams of Node.
  const { outputFiles, metafile } = await build({ ...common, entryPoints, platform: 'browser', format: 'cjs', define })
  return { metafile, script: outputFiles.find(({ path }) => path.endsWith('frozen.js')) }
}

/** Returns the style sheet and its hash as values to define. */
function styleNames(style) {
  const text = style.trimEnd()
  const hash = createHash('sha256').update(text).digest('base64')
  return { PARLEY_PAGE_STYLE: JSON.stringify(text), PARLEY_PAGE_STYLE_HASH: JSON.stringify(`sha256-${hash}`) }
}
