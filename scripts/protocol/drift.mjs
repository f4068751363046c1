import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the files that are missing from the folder or differ there, with the first difference. */
export function driftOf(files, folder) {
  return [...files].flatMap(([name, expected]) => {
    const found = read(join(folder, name))
    if (found === expected) return []
    return [{ name, problem: found === null ? 'is missing' : firstDifference(found, expected) }]
  })
}

function firstDifference(found, expected) {
  const [foundLines, expectedLines] = [found.split('\n'), expected.split('\n')]
  const at = expectedLines.findIndex((line, index) => line !== foundLines[index])
  const line = at < 0 ? expectedLines.length : at
  return `line ${line + 1} is ${quoted(foundLines[line])} and should be ${quoted(expectedLines[line])}`
}

function quoted(line) {
  if (line === undefined) return 'not there'
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 119)}…` : line)
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}
