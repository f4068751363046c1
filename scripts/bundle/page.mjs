import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { distFolder, root } from './places.mjs'

/** Builds the page for browsers: one script, one style sheet, one document. Throws when a part of it needs Node. */
export async function buildPage(define) {
  const folder = join(distFolder, 'web')
  const source = join(root, 'apps/web/src')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { page: join(source, 'main.tsx'), style: join(source, 'page/page.css') },
    outdir: folder,
    bundle: true,
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    format: 'esm',
    conditions: ['@parley/source'],
    // What the page takes of a package leaves these out; that none is left is checked below.
    external: ['node:*'],
    minify: true,
    legalComments: 'none',
    jsx: 'automatic',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    define,
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  const script = outputFiles.find(({ path }) => path.endsWith('page.js'))
  const style = outputFiles.find(({ path }) => path.endsWith('style.css'))
  const needed = /(?:from|import)\s*["'](node:[^"']+)/.exec(script.text)
  if (needed !== null) throw new Error(`the page for browsers imports ${needed[1]}`)
  const files = [
    { path: join(folder, 'page.js'), contents: script.contents },
    { path: join(folder, 'page.css'), contents: style.contents },
    { path: join(folder, 'index.html'), contents: readFileSync(join(source, 'page/index.html')) },
  ]
  return { metafile, files }
}
