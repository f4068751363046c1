/**
 * Takes Node's own modules as they are, not through an ESM import: making that facade reads every property of the
 * module, which loads what nobody asked for. 3 ms in each process.
 */
export function builtinModules() {
  return {
    name: 'builtin-modules',
    setup(build) {
      // One for each importer: shared ones would become files of their own, a line long and each to be read at start.
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

/** Each name is read only where it is used: the bundler drops the others. */
async function facadeOf(path) {
  const names = Object.keys(await import(path)).filter((name) => name !== 'default')
  const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => whole.${name})()`)
  return [`const whole = process.getBuiltinModule('${path}')`, 'export default whole', ...exports].join('\n')
}
