import { posix } from 'node:path'
import type { Source } from './sources.ts'
import type { Import } from './syntax.ts'

/** Packages of ours that a package may import. `npm run generate` draws them in ARCHITECTURE.md. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  'packages/text': [],
  'packages/rpc': ['@parley/text'],
  'packages/host': ['@parley/text'],
  'packages/testkit': [],
  'packages/foreign': [],
  'packages/protocol': ['@parley/text'],
  'packages/journal': ['@parley/text', '@parley/protocol', '@parley/host'],
  'packages/redaction': ['@parley/text', '@parley/protocol', '@parley/host', '@parley/journal'],
  'packages/config': ['@parley/text', '@parley/protocol', '@parley/host', '@parley/redaction'],
  'packages/models': ['@parley/text', '@parley/protocol', '@parley/host', '@parley/redaction'],
  'packages/workspace': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/redaction',
    '@parley/config',
  ],
  'packages/policy': [
    '@parley/text',
    '@parley/protocol',
    '@parley/host',
    '@parley/journal',
    '@parley/config',
    '@parley/workspace',
  ],
  'packages/mcp-client': [
    '@parley/text',
    '@parley/protocol',
    '@parley/host',
    '@parley/journal',
    '@parley/redaction',
    '@parley/config',
    '@parley/workspace',
    '@parley/policy',
  ],
  'packages/client': ['@parley/protocol', '@parley/rpc'],
  'packages/presentation': ['@parley/text', '@parley/protocol'],
  'packages/engine': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/redaction',
    '@parley/config',
    '@parley/models',
    '@parley/workspace',
    '@parley/policy',
    '@parley/mcp-client',
  ],
  // How a program starts, listens and admits its clients, with an engine or without.
  'packages/serving': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/workspace',
    '@parley/policy',
    '@parley/client',
  ],
  // Users, links, relays and the store that servers share, as the engine's ports want them.
  'packages/team': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/workspace',
    '@parley/engine',
  ],
  // Clients of the native protocol, over memory or another server's socket; of the engine they take types.
  'packages/frontends': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/workspace',
    '@parley/client',
    '@parley/engine',
    '@parley/serving',
  ],
  'packages/exec-server': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/workspace',
    '@parley/policy',
    '@parley/serving',
  ],
  'packages/server': [
    '@parley/text',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/host',
    '@parley/journal',
    '@parley/redaction',
    '@parley/config',
    '@parley/models',
    '@parley/workspace',
    '@parley/policy',
    '@parley/client',
    '@parley/engine',
    '@parley/team',
    '@parley/serving',
    '@parley/frontends',
    '@parley/exec-server',
  ],
  'apps/tui': [
    '@parley/text',
    '@parley/client',
    '@parley/presentation',
    '@parley/protocol',
    '@parley/rpc',
    '@parley/redaction',
  ],
  'apps/web': ['@parley/text', '@parley/client', '@parley/presentation', '@parley/protocol', '@parley/rpc'],
}

/** Third-party packages of the innermost packages. */
const thirdParties: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol': ['zod', '@parley/text'],
  // Its websocket transport, an entry of its own: RFC 6455 is not ours to write again.
  'packages/rpc': ['ws', '@parley/text'],
}

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

export const isRelative = (specifier: string): boolean => specifier.startsWith('.')

/** The path from the repository's root that a relative import names. */
export const targetOf = (source: Source, { specifier }: Import): string =>
  posix.join(posix.dirname(source.path), specifier)

type Rule = (source: Source, imported: Import) => string | undefined

const packageArrows: Rule = (source, { specifier }) => {
  const name = packageOf(specifier)
  // The terminal's package is the program itself: `parley`.
  if (!name.startsWith('@parley/') && name !== 'parley') return undefined
  // A test may come through the front door of its own package.
  const forTests = ['@parley/testkit', source.home.replace('packages/', '@parley/')]
  const allowed = [...(arrows[source.home] ?? []), ...(source.isTest ? forTests : [])]
  return allowed.includes(name) ? undefined : `${source.home} may not import ${name}`
}

const innermostThirdParties: Rule = (source, { specifier }) => {
  const allowed = thirdParties[source.home]
  if (source.isTest || allowed === undefined || isRelative(specifier) || specifier.startsWith('node:')) return undefined
  return allowed.includes(packageOf(specifier)) ? undefined : `${source.home} may not depend on ${specifier}`
}

const relativeStaysHome: Rule = (source, imported) => {
  if (!isRelative(imported.specifier)) return undefined
  const target = targetOf(source, imported)
  const allowed = source.isTest ? `${source.home}/` : `${source.home}/src/`
  return target.startsWith(allowed) ? undefined : `${imported.specifier} leaves ${allowed}`
}

const reactOnlyUnderInk: Rule = (source, { specifier }) => {
  if (!/^(react|ink|react-reconciler|react-dom)$/.test(packageOf(specifier))) return undefined
  const places = ['apps/tui/src/ink/', 'apps/tui/test/', 'apps/web/']
  const isThere = places.some((place) => source.path.startsWith(place))
  return isThere ? undefined : `${specifier} outside of apps/tui/src/ink and apps/web`
}

/** The parts of the library that are loaded before the rest of it, so that a server starts, or is found, at once. */
const firstOfClient = ['@parley/client/server-process', '@parley/client/named-servers']

/** The terminal is a client like any other: missing functions belong into the root of the library. */
const publicClientOnly: Rule = (source, { specifier }) => {
  const isInside =
    packageOf(specifier) === '@parley/client' && !['@parley/client', ...firstOfClient].includes(specifier)
  return isInside && source.home === 'apps/tui' ? `${specifier} instead of @parley/client` : undefined
}

/** The page runs in a browser: it takes the part of the library that needs no Node. */
const browserClientOnly: Rule = (source, { specifier }) => {
  if (source.home !== 'apps/web' || source.isTest) return undefined
  if (specifier.startsWith('node:')) return `${specifier} in a page`
  const isOther = packageOf(specifier) === '@parley/client' && specifier !== '@parley/client/browser'
  return isOther ? `${specifier} instead of @parley/client/browser` : undefined
}

/** Importing the protocol's types, reducer or errors must not load zod. */
const zodOnlyInSchemas: Rule = (source, imported) => {
  const entry = 'packages/protocol/src/schemas.ts'
  const isOutside =
    source.path.startsWith('packages/protocol/src/') && !source.path.includes('/src/schema/') && source.path !== entry
  if (!isOutside || imported.typeOnly) return undefined
  if (packageOf(imported.specifier) === 'zod') return 'zod as a value outside of schema/'
  const reachesSchema = isRelative(imported.specifier) && targetOf(source, imported).includes('/src/schema/')
  return reachesSchema ? `${imported.specifier} as a value outside of schema/` : undefined
}

/** Subpaths of the engine that other packages may load; of the rest a frontend takes types only. */
const looseParts = ['@parley/engine/instructions']

/** A frontend is a client of the native protocol: it must work with a server in another process. */
const typesOfEngineOnly: Rule = (source, imported) => {
  if (source.home !== 'packages/frontends' || source.isTest) return undefined
  const isValue = packageOf(imported.specifier) === '@parley/engine' && !imported.typeOnly
  return isValue && !looseParts.includes(imported.specifier)
    ? 'a frontend is a client and takes types of the engine only'
    : undefined
}

/** Sources of a package are its own; tests of the packages above it may reach inside. */
const insideForTests: Rule = (source, { specifier }) =>
  /^@parley\/[a-z-]+\/(src|test)\//.test(specifier) && !source.isTest ? `${specifier} is inside its package` : undefined

const rules: readonly Rule[] = [
  packageArrows,
  innermostThirdParties,
  relativeStaysHome,
  reactOnlyUnderInk,
  publicClientOnly,
  browserClientOnly,
  zodOnlyInSchemas,
  typesOfEngineOnly,
  insideForTests,
]

export function importViolations(source: Source): string[] {
  return source.syntax.imports.flatMap((imported) =>
    rules.flatMap((rule) => {
      const fault = rule(source, imported)
      return fault === undefined ? [] : [`${source.path}:${imported.line} ${fault}`]
    }),
  )
}
