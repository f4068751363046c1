import { notPermitted, rejection, type ServerIdentity } from '@parley/engine'
import {
  type Actor,
  type ClientAccess,
  type ClientId,
  localMethods,
  looseningMethods,
  type MethodName,
  methodRules,
  type ParamsOf,
  type Person,
  protocolVersions,
  type ResultOf,
  type Rights,
  type UserName,
} from '@parley/protocol'

/** State of one connection's handshake, and the client at its other end. */
export interface Session {
  readonly actor: Actor
  readonly access: ClientAccess
  readonly canApprove: boolean
  readonly canRaiseLimits: boolean
  readonly mayLoosen: boolean
  readonly rights: Rights
  readonly isInitialized: boolean
  /** True for a client on this machine that may change something. */
  readonly mayLogIn: boolean
  initialize(params: ParamsOf<'initialize'>): ResultOf<'initialize'>
  initialized(): void
  /** Throws `notInitialized` before the handshake, and `notPermitted` for a change by a read-only client or a login from afar. */
  assertMay(method: MethodName): void
}

/** Limit for names that clients choose, since each message and decision of the client carries its name. */
const maxNameLength = 100

interface SessionPorts {
  readonly clientId: ClientId
  readonly identity: ServerIdentity
  readonly distinctTitle: (wanted: string, user: UserName | undefined) => string
  /** False for a client that may be on another machine. */
  readonly isLocal: boolean
  /** Most that the connection may be given, whatever the client asks for. */
  readonly mostAccess: ClientAccess
  readonly rights: Rights
}

export function createSession(ports: SessionPorts): Session {
  const { clientId, identity, distinctTitle, isLocal, mostAccess, rights } = ports
  let actor: Actor = { clientId, name: 'client' }
  let canApprove = false
  let canRaiseLimits = false
  let access: ClientAccess = 'full'
  let mayLoosen = false
  let stage: 'new' | 'answered' | 'ready' = 'new'

  return {
    rights,
    get actor() {
      return actor
    },
    get access() {
      return access
    },
    get canApprove() {
      return canApprove
    },
    get canRaiseLimits() {
      return canRaiseLimits
    },
    get mayLoosen() {
      return mayLoosen
    },
    get isInitialized() {
      return stage !== 'new'
    },
    get mayLogIn() {
      return stage !== 'new' && isLocal && access === 'full'
    },
    initialize({ protocolVersion, clientInfo, capabilities = [], access: wanted = 'full', mayLoosen: loosens = true }) {
      if (stage !== 'new') throw rejection('alreadyInitialized', 'initialize may only be sent once per connection.')
      const version = agreedVersion(identity.serverInfo, protocolVersions, { ...clientInfo, ...protocolVersion })
      const name = clientInfo.name.slice(0, maxNameLength)
      const user = rights.person.kind === 'user' ? rights.person.name : undefined
      const title = distinctTitle((clientInfo.title ?? name).slice(0, maxNameLength), user)
      actor = { clientId, name, title, ...(user === undefined ? {} : { user }) }
      stage = 'answered'
      access = mostAccess === 'readOnly' ? mostAccess : wanted
      canApprove = access === 'full' && capabilities.includes('approvals')
      canRaiseLimits = access === 'full' && capabilities.includes('limits')
      mayLoosen = access === 'full' && loosens
      return {
        protocolVersion: version,
        serverInfo: identity.serverInfo,
        clientId,
        home: identity.home,
        capabilities: [...abilities, ...(identity.isSafe === true ? ['safe'] : [])],
        ...(rights.person.kind === 'operator' ? {} : { person: toldPerson(rights.person, rights) }),
      }
    },
    initialized() {
      if (stage === 'answered') stage = 'ready'
    },
    assertMay(method) {
      if (method === 'initialize') return
      if (stage === 'new') throw rejection('notInitialized', 'The first request must be initialize.')
      if (access === 'readOnly' && methodRules[method].access === 'change')
        throw notPermitted(`(${method}) changes something`)
      if (!mayLoosen && looseningMethods.has(method)) throw rejection('notPermitted', onlyTightens(method))
      if (!isLocal && localMethods.has(method)) throw rejection('notPermitted', fromAfar)
    },
  }
}

/** Returns a person with the limit of its sandbox, so that the client offers no more. */
function toldPerson(person: Person, { maxSandbox }: Rights): Person {
  return person.kind === 'user' && maxSandbox !== null ? { ...person, maxSandbox } : person
}

const abilities = ['conversation', 'inbox', 'fork', 'shell', 'detach', 'readOnly']

const fromAfar =
  'Credentials are not sent over a websocket: run `parley login` on the machine of the server, or connect by its socket.'

function onlyTightens(method: MethodName): string {
  return `This client may only make limits stricter, and ${method} would let more happen than they say.`
}

interface NamedProgram {
  readonly name: string
  readonly version: string
}

interface VersionRange {
  readonly min: number
  readonly max: number
}

/** Returns the highest version that both speak. Throws `protocolVersion`, which names the older program. */
function agreedVersion(server: NamedProgram, ours: VersionRange, client: NamedProgram & VersionRange): number {
  const highest = Math.min(client.max, ours.max)
  if (highest >= Math.max(client.min, ours.min)) return highest
  const older = client.max < ours.min ? 'the client' : 'the server, then end it so that it starts anew'
  throw rejection(
    'protocolVersion',
    `This server is ${server.name} ${server.version} and speaks protocol ${rangeText(ours)}, but the client ${client.name} ${client.version} speaks ${rangeText(client)}: update ${older}.`,
    { server: { min: ours.min, max: ours.max }, client: { min: client.min, max: client.max } },
  )
}

function rangeText({ min, max }: VersionRange): string {
  return min === max ? String(min) : `${min} to ${max}`
}
