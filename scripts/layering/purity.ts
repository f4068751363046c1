import { isBuiltin } from 'node:module'
import { isRelative, targetOf } from './import-rules.ts'
import type { Source } from './sources.ts'

/** Folders of pure functions: no clock, no randomness, no environment, no Node. */
export const pureFolders = [
  'packages/protocol/src/',
  'packages/text/src/',
  'packages/presentation/src/',
  'packages/redaction/src/scan/',
  'packages/policy/src/decision/',
  'packages/engine/src/core/',
  'packages/frontends/src/codex-events/',
  'apps/tui/src/view/',
  'apps/tui/src/ui/',
]

const impureNames = ['Date', 'Math.random', 'process', 'performance', 'globalThis', 'crypto', 'console']

export function impurities(source: Source): string[] {
  if (!isPure(source.path)) return []
  const mentioned = source.syntax.names.filter(({ what }) => impureNames.includes(what))
  const imported = source.syntax.imports.filter((one) =>
    isRelative(one.specifier) ? !isPure(targetOf(source, one)) : isBuiltin(one.specifier),
  )
  return [
    ...mentioned.map(({ what, line }) => `${source.path}:${line} mentions ${what}`),
    ...imported.map(({ specifier, line }) => `${source.path}:${line} imports ${specifier}`),
  ]
}

function isPure(path: string): boolean {
  return pureFolders.some((folder) => path.startsWith(folder))
}
