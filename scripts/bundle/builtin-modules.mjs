import { builtinModules as builtinNames } from 'node:module'
import { relative } from 'node:path'
import { root } from './places.mjs'

/**
 * Takes Node's own modules by `getBuiltinModule`. An ESM import reads every property of the module, which loads lazy
 * parts that are not used: 3 ms in each process. An `import()` in a script that `run-script.mjs` runs would fail.
 */
export function builtinModules() {
  return {
    name: 'builtin-modules',
    setup(build) {
      // Each importer gets a module of its own: a shared one would become a file of one line, to be read at start. Its
      // path is part of the names of files, which must not depend on where the checkout lies.
      build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) =>
        kind === 'import-statement'
          ? { path: `${path}#${relative(root, importer)}`, namespace: 'builtin', pluginData: path, sideEffects: false }
          : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ pluginData: path }) => ({
        contents: await facadeOf(path),
      }))
      build.onResolve({ filter: named }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, namespace: 'builtin-later' } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'builtin-later' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule('${path}')`,
      }))
    },
  }
}

/** Matches modules of Node, with their prefix or without, as some packages write them. */
const named = new RegExp(`^(?:node:.*|${builtinNames.filter((name) => !name.startsWith('_')).join('|')})$`)

/** Modules that take 1-3 ms to load, and that most programs need late or not at all. */
const loadedAtCall = new Set(
  ['child_process', 'crypto', 'fs/promises', 'http', 'net', 'os', 'v8', 'zlib'].map((name) => `node:${name}`),
)

/** Resolves to a module that reads each name only where it is used; the bundler drops the others. */
async function facadeOf(path) {
  const found = await import(path)
  const names = Object.keys(found).filter((name) => name !== 'default')
  const isLate = (name) => loadedAtCall.has(path) && typeof found[name] === 'function' && /^[a-z]/.test(name)
  return [
    'let known',
    `const whole = () => (known ??= process.getBuiltinModule('${path}'))`,
    'export default /* @__PURE__ */ whole()',
    ...names.map((name) =>
      isLate(name)
        ? `export const ${name} = (...given) => whole().${name}(...given)`
        : `export const ${name} = /* @__PURE__ */ (() => whole().${name})()`,
    ),
  ].join('\n')
}
