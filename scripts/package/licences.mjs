import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle/places.mjs'

/**
 * Returns the licences of bundled packages as one text, in the order of their names. `folders` are relative to the
 * checkout. Throws for a package without a licence.
 */
export function licencesOf(folders) {
  const parts = folders.map((folder) => partOf(join(root, folder)))
  const texts = new Map(parts.map((part) => [part.name, part]))
  return [...texts.keys()]
    .sort()
    .map((name) => sectionOf(texts.get(name)))
    .join('\n')
}

function partOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  if (typeof license !== 'string' && files.length === 0) throw new Error(`${name} ${version} names no licence.`)
  return { name, version, license, texts: files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim()) }
}

const line = '-'.repeat(80)

function sectionOf({ name, version, license = 'see below', texts }) {
  const all = texts.length === 0 ? [`The package has no text of its licence (${license}).`] : texts
  return [line, `${name} ${version} (${license})`, line, '', ...all, ''].join('\n')
}
