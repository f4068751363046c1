import type { Source } from './sources.ts'

const bannedWords = /^(manager|service|helper|util|common|misc|base|data|info)s?$/
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/
const tables = /\/(schema|tables?)\/|[-/](table|catalogue|errors|messages)\.ts$/

const linesBeforeWarning = 300
const lineLimit = 400

export function nameViolations({ path }: Source): string[] {
  const parts = path.split('/').map((part) => part.replace(/(\.test)?\.tsx?$/, ''))
  return parts.flatMap((part) => {
    if (!kebabCase.test(part)) return [`${path}: ${part} is not kebab-case`]
    const banned = part.split('-').filter((word) => bannedWords.test(word))
    return banned.map((word) => `${path}: "${word}" says nothing of what the file decides`)
  })
}

export function lengthViolations({ path, text }: Source): string[] {
  const lines = lineCount(text)
  return lines > lineLimit ? [`${path} has ${lines} lines, the limit is ${lineLimit}`] : []
}

/** Returns sources that are near the limit. Schemas, tables and tests are looked up in, not read from top to bottom. */
export function lengthWarnings({ path, text, isTest }: Source): string[] {
  const lines = lineCount(text)
  const isLong = lines > linesBeforeWarning && !isTest && !tables.test(path)
  return isLong ? [`${path} has ${lines} lines; over ${linesBeforeWarning}, look for a better noun`] : []
}

const lineCount = (text: string): number => text.split('\n').length - 1

const importLimit = 20

/** Counts imports, also of types inside a type; not the modules that a table loads when they are needed. */
export function importCountViolations({ path, syntax }: Source): string[] {
  const count = syntax.imports.filter(({ binds }) => binds).length
  return count > importLimit ? [`${path} has ${count} imports, the limit is ${importLimit}`] : []
}

/** A cast is allowed on a line that says, after "narrowed:", which check has made it safe. */
export function looseTypeViolations(source: Source): string[] {
  if (source.isTest) return []
  const lines = source.text.split('\n')
  const isExplained = (line: number) =>
    [lines[line - 1], lines[line - 2]].some((text) => text?.includes('// narrowed: '))
  return source.syntax.looseTypes
    .filter(({ what, line }) => !(what === 'as' && isExplained(line)))
    .map(({ what, line }) => `${source.path}:${line} ${what}`)
}

/** A spread of more than about 100,000 elements into a call throws `RangeError`: lists are taken one by one, or joined. */
export function longSpreadViolations({ path, isTest, syntax }: Source): string[] {
  if (isTest) return []
  return syntax.longSpreads.map(({ what, line }) => `${path}:${line} spreads a list into a call: ${what}`)
}

export function silencedCheckViolations({ path, text, isTest }: Source): string[] {
  const banned = isTest ? /\bvi\.(mock|doMock)\b/ : /biome-ignore|@ts-(ignore|expect-error|nocheck)/
  const found = banned.exec(text)?.[0]
  return found === undefined ? [] : [`${path} has ${found}`]
}

/** Returns `export *` of a package's root, which must list its exports by name. */
export function rootExportViolations({ path, text }: Source): string[] {
  return /^packages\/[^/]+\/src\/index\.ts$/.test(path) && /^export \*/m.test(text) ? [`${path} exports by *`] : []
}
