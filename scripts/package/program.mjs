import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programVersion } from '../bundle/identity.mjs'
import { buildFolder, distFolder, root } from '../bundle/places.mjs'
import { licencesOf } from './licences.mjs'
import { names } from './names.mjs'

/**
 * Lays out the package of the program in a folder, from the last build: programs, launcher, documents, licences. It is for
 * the platform of this machine, and has no caches of compiled code, which another Node would reject.
 */
export function layOutProgram(folder) {
  const { files, packages } = JSON.parse(readFileSync(join(buildFolder, 'files.json'), 'utf8'))
  for (const file of files.filter((name) => !name.endsWith('.cache')))
    copy(join(distFolder, file), folder, 'dist', file)
  for (const script of ['start.sh', 'usable-node.sh']) copy(join(root, 'scripts', script), folder, 'bin', script)
  copy(join(root, 'scripts/package/launcher.sh'), folder, 'bin', 'parley')
  chmodSync(join(folder, 'bin/parley'), 0o755)
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) copy(join(root, file), folder, file)
  cpSync(join(root, 'docs'), join(folder, 'docs'), { recursive: true, filter: (from) => !from.includes('transcripts') })
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licencesOf(packages))
  writeNode(join(folder, 'node'))
  writeJson(join(folder, 'package.json'), manifest())
}

function manifest() {
  const { description, license } = manifestOfCheckout()
  return {
    name: names.program,
    version: programVersion(),
    private: true,
    description,
    license,
    type: 'module',
    bin: { parley: 'bin/parley' },
    os: [process.platform],
    cpu: [process.arch],
  }
}

const manifestOfCheckout = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Writes the name and hash that the launcher needs to fetch the Node of the checkout. */
function writeNode(folder) {
  const { optionalDependencies } = manifestOfCheckout()
  const name = Object.keys(optionalDependencies).find((one) => one.endsWith(`${process.platform}-${process.arch}`))
  if (name === undefined) throw new Error(`There is no Node package for ${process.platform} on ${process.arch}.`)
  const version = optionalDependencies[name]
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
  const integrity = new RegExp(`^ {2}${name}@${version}:\\n {4}resolution: \\{integrity: (\\S+)\\}`, 'm').exec(
    lock,
  )?.[1]
  if (integrity === undefined) throw new Error(`The lockfile has no hash of ${name} ${version}.`)
  mkdirSync(folder, { recursive: true })
  const own = { name: 'parley-node', private: true, dependencies: { [name]: version } }
  writeJson(join(folder, 'package.json'), own)
  writeJson(join(folder, 'package-lock.json'), {
    name: own.name,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, [`node_modules/${name}`]: { version, integrity } },
  })
  writeFileSync(join(folder, 'name'), `${name}@${version}\n`)
}

function copy(from, ...to) {
  const path = join(...to)
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(from, path)
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
