import { join } from 'node:path'
import { root } from './places.mjs'

/** Replaces parts of packages that the bundle does not need, or cannot find where it lies. */
export function trimPackages() {
  return {
    name: 'trim-packages',
    setup(build) {
      // Error messages in all languages, reachable through one namespace object: 260 kB, 4 ms in each process.
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: `export { default as en } from './en.js'`,
      }))
      // It compiles its expressions as it loads: 6 ms before the first frame, which has no Markdown.
      build.onResolve({ filter: /^marked$/ }, ({ kind }) =>
        kind === 'import-statement' ? { path: 'marked', namespace: 'lazy-marked' } : undefined,
      )
      build.onLoad({ filter: /./, namespace: 'lazy-marked' }, () => ({
        contents: `export function Marked(...given) { return new (require('marked').Marked)(...given) }`,
        resolveDir: join(root, 'apps/tui'),
      }))
      // The global `crypto`, which it takes its bytes from, loads all of Web Crypto: 2 ms in each server.
      build.onLoad({ filter: /[\\/]uuid[\\/]dist-node[\\/]rng\.js$/ }, () => ({
        contents: `import { randomFillSync } from 'node:crypto'
          const bytes = new Uint8Array(16)
          export default function rng() { return randomFillSync(bytes) }`,
      }))
      build.onResolve({ filter: /^@vscode\/ripgrep$/ }, () => ({ path: join(import.meta.dirname, 'ripgrep.mjs') }))
      build.onResolve({ filter: /^\.\/native-file\.ts$/ }, () => ({
        path: join(import.meta.dirname, 'native-file.mjs'),
      }))
    },
  }
}
