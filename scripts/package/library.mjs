import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../bundle/places.mjs'

const scope = '@parley/'

/**
 * Lays out the package of a library in a folder, from the compiler's output: code, types, licence. Our packages lie
 * inside; third-party packages are its dependencies.
 */
export function layOutLibrary(name, folder) {
  const parts = closureOf(name)
  const foreign = Object.assign({}, ...parts.map(({ dependencies }) => dependencies.foreign))
  for (const part of parts) {
    const isWhole = part.name === name
    const place = isWhole ? folder : join(folder, 'node_modules', part.name)
    copyBuilt(part.source, place)
    copyFileSync(join(root, 'LICENSE'), join(place, 'LICENSE'))
    const inner = parts.map((one) => one.name).filter((one) => one !== name)
    const dependencies = { ...foreign, ...Object.fromEntries(inner.map((one) => [one, part.version])) }
    const more = isWhole ? { dependencies: sorted(dependencies), bundleDependencies: inner } : {}
    writeFileSync(join(place, 'package.json'), `${JSON.stringify({ ...part.manifest, ...more }, null, 2)}\n`)
  }
}

/** Returns the packages of this repository that a package needs, itself first. */
function closureOf(first) {
  const seen = new Map()
  const visit = (name) => {
    if (seen.has(name)) return
    const source = join(root, 'packages', name.slice(scope.length))
    const read = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    const entries = Object.entries(read.dependencies)
    const own = entries.map(([one]) => one).filter((one) => one.startsWith(scope))
    const foreign = Object.fromEntries(entries.filter(([one]) => !one.startsWith(scope)))
    const { version, license, type, sideEffects, engines } = read
    const manifest = { name, version, private: true, license, type, sideEffects, engines, exports: built(read.exports) }
    seen.set(name, { name, version, source, manifest, dependencies: { foreign } })
    for (const one of own) visit(one)
  }
  visit(first)
  return [...seen.values()]
}

/** Returns the exports without the entries for sources, which the package lacks. */
function built(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([path, { types, default: code }]) => [path, { types, default: code }]),
  )
}

/**
 * Copies the compiler's output of each source; output of deleted sources may still lie in the folder and is left out.
 */
function copyBuilt(source, to) {
  for (const file of globSync('src/**/*.ts', { cwd: source }).sort()) {
    for (const end of ['.js', '.d.ts']) {
      const path = join('dist', file.replace(/\.ts$/, end))
      mkdirSync(dirname(join(to, path)), { recursive: true })
      if (end === '.d.ts') copyFileSync(join(source, path), join(to, path))
      else writeFileSync(join(to, path), withoutMap(readFileSync(join(source, path), 'utf8')))
    }
  }
}

/** Removes the reference to a map of the sources, which the package has not. */
function withoutMap(code) {
  return code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

function sorted(values) {
  return Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)))
}
