import { posix } from 'node:path'
import type { Source } from './sources.ts'
import type { Import } from './syntax.ts'

const ours = (names: string): readonly string[] => names.split(' ').map((name) => `@parley/${name}`)

/** Packages of ours that a package may import. `npm run generate` draws them in ARCHITECTURE.md. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  'packages/text': [],
  'packages/rpc': ours('text'),
  'packages/host': ours('text'),
  'packages/testkit': [],
  'packages/foreign': [],
  'packages/protocol': ours('text'),
  'packages/journal': ours('text protocol host'),
  'packages/redaction': ours('text protocol host journal'),
  'packages/config': ours('text protocol host redaction'),
  'packages/models': ours('text protocol host redaction'),
  'packages/workspace': ours('text protocol rpc host redaction config'),
  'packages/policy': ours('text protocol host journal config workspace'),
  'packages/mcp-client': ours('text protocol host journal redaction config workspace policy'),
  // Keys and logins of providers and MCP servers, in a file or the keyring.
  'packages/credentials': ours('text host journal redaction config models mcp-client'),
  'packages/client': ours('protocol rpc'),
  'packages/presentation': ours('text protocol'),
  'packages/engine': ours(
    'text protocol rpc host journal redaction config models workspace policy mcp-client credentials',
  ),
  // How a program starts, listens and admits its clients, with an engine or without.
  'packages/serving': ours('text protocol rpc host journal workspace policy client'),
  // Users, links, relays and the store that servers share, as the engine's ports want them.
  'packages/team': ours('text protocol rpc host journal workspace engine'),
  // Clients of the native protocol, over memory or another server's socket; of the engine they take types.
  'packages/frontends': ours('text protocol rpc host journal workspace client engine serving'),
  'packages/exec-server': ours('text protocol rpc host journal workspace policy serving'),
  'packages/server': ours(
    'text protocol rpc host journal redaction config models workspace policy client credentials engine team serving frontends exec-server',
  ),
  'apps/tui': ours('text client presentation protocol rpc redaction'),
  'apps/web': ours('text client presentation protocol rpc'),
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
