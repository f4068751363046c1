import { isBuiltin } from 'node:module'
import { isRelative, packageOf } from './import-rules.ts'
import type { Manifest, Source } from './sources.ts'

/** Dependencies that no source imports, with the reason to declare them. */
const reasons: Readonly<Record<string, string>> = {
  'packages/host @lydell/node-pty': 'its compiled part is found by path, and is an asset of the bundle',
  'packages/policy tree-sitter-bash': 'its grammar file is an asset of the bundle',
  'packages/foreign @agentclientprotocol/codex-acp': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/conformance': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/inspector': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/server-everything': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/server-filesystem': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/server-memory': 'tests run it as a program',
  'packages/foreign @modelcontextprotocol/server-sequential-thinking': 'tests run it as a program',
  'packages/foreign @playwright/mcp': 'tests run it as a program',
  'apps/tui @parley/server': 'the bundle has both programs, so the server is built first',
}

/** Test tools that the workspace root provides. */
const fromRoot = ['vitest', 'fast-check']

export function manifestViolations(manifest: Manifest, sources: readonly Source[]): string[] {
  const own = sources.filter((source) => source.home === manifest.home)
  const used = packagesOf(own.filter((source) => !source.isTest))
  const usedByTests = packagesOf(own.filter((source) => source.isTest))
  const declared = [manifest.name, ...manifest.dependencies, ...manifest.devDependencies]
  const isKnown = (name: string) => `${manifest.home} ${name}` in reasons || name.startsWith('@types/')
  const unused = (names: readonly string[], users: ReadonlySet<string>) =>
    names.filter((name) => !users.has(name) && !isKnown(name))
  return [
    ...[...used].filter((name) => !manifest.dependencies.includes(name)).map((name) => `imports ${name} undeclared`),
    ...[...usedByTests]
      .filter((name) => !declared.includes(name) && !fromRoot.includes(name))
      .map((name) => `tests import ${name} undeclared`),
    ...unused(manifest.dependencies, used).map((name) => `declares ${name}, which no source imports`),
    ...unused(manifest.devDependencies, usedByTests).map((name) => `declares ${name}, which no test imports`),
  ].map((fault) => `${manifest.home} ${fault}`)
}

function packagesOf(sources: readonly Source[]): Set<string> {
  const specifiers = sources.flatMap((source) => source.syntax.imports.map((one) => one.specifier))
  return new Set(specifiers.filter((name) => !isRelative(name) && !isBuiltin(name)).map(packageOf))
}
