/**
 * Takes Node's own modules by `getBuiltinModule`. An ESM import reads every property of the module, which loads lazy
 * parts that are not used: 3 ms in each process.
 */
export function builtinModules() {
  return {
    name: 'builtin-modules',
    setup(build) {
      // One module for each importer: a shared one would become a file of its own, of one line, to be read at start.
      build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) =>
        kind === 'import-statement'
          ? { path: `${path}#${importer}`, namespace: 'builtin', pluginData: path, sideEffects: false }
          : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ pluginData: path }) => ({
        contents: await facadeOf(path),
      }))
    },
  }
}

/** Resolves to a module that reads each name only where it is used; the bundler drops the others. */
async function facadeOf(path) {
  const names = Object.keys(await import(path)).filter((name) => name !== 'default')
  const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => whole.${name})()`)
  return [`const whole = process.getBuiltinModule('${path}')`, 'export default whole', ...exports].join('\n')
}
