import { join } from 'node:path'

/** Packages of which the bundle takes less, or something else, than their own entry point would bring. */
export function trimPackages() {
  return {
    name: 'trim-packages',
    setup(build) {
      // 260 kB and 4 ms in each process: error messages in all languages, reachable through one namespace object.
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: `export { default as en } from './en.js'`,
      }))
      build.onResolve({ filter: /^@vscode\/ripgrep$/ }, () => ({ path: join(import.meta.dirname, 'ripgrep.mjs') }))
      build.onResolve({ filter: /^\.\/native-file\.ts$/ }, () => ({
        path: join(import.meta.dirname, 'native-file.mjs'),
      }))
    },
  }
}
