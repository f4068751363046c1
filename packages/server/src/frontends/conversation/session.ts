import {
  type Actor,
  type ClientAccess,
  type MethodName,
  methodAccess,
  type ParamsOf,
  protocolVersions,
  type ResultOf,
} from '@parley/protocol'
import { notPermitted, rejection } from '../../engine/replies/rejection.ts'
import type { ServerIdentity } from '../../identity.ts'
import { agreedVersion } from './agreed-version.ts'

/** Where one connection stands in the handshake, and who is at its other end. */
export interface Session {
  readonly actor: Actor
  readonly access: ClientAccess
  readonly canApprove: boolean
  readonly isGreeted: boolean
  initialize(params: ParamsOf<'initialize'>): ResultOf<'initialize'>
  initialized(): void
  /** Throws unless the handshake is done and this client may do that. */
  assertMay(method: MethodName): void
}

/** It is in every message and decision of this client, and clients may call themselves anything. */
const maxNameLength = 100

interface SessionPorts {
  readonly clientId: string
  readonly identity: ServerIdentity
  readonly distinctTitle: (wanted: string) => string
}

export function createSession({ clientId, identity, distinctTitle }: SessionPorts): Session {
  let actor: Actor = { clientId, name: 'client' }
  let canApprove = false
  let access: ClientAccess = 'full'
  let stage: 'new' | 'answered' | 'ready' = 'new'

  return {
    get actor() {
      return actor
    },
    get access() {
      return access
    },
    get canApprove() {
      return canApprove
    },
    get isGreeted() {
      return stage !== 'new'
    },
    initialize({ protocolVersion, clientInfo, capabilities = [], access: wanted = 'full' }) {
      if (stage !== 'new') throw rejection('alreadyInitialized', 'initialize may only be sent once per connection.')
      const version = agreedVersion(identity.serverInfo, protocolVersions, { ...clientInfo, ...protocolVersion })
      const name = clientInfo.name.slice(0, maxNameLength)
      const title = distinctTitle((clientInfo.title ?? name).slice(0, maxNameLength))
      actor = { clientId, name, title }
      stage = 'answered'
      access = wanted
      canApprove = access === 'full' && capabilities.includes('approvals')
      return {
        protocolVersion: version,
        serverInfo: identity.serverInfo,
        clientId,
        home: identity.home,
        capabilities: ['conversation', 'inbox', 'fork', 'shell', 'detach', 'readOnly'],
      }
    },
    initialized() {
      if (stage === 'answered') stage = 'ready'
    },
    assertMay(method) {
      if (method === 'initialize') return
      if (stage === 'new') throw rejection('notInitialized', 'The first request must be initialize.')
      if (access === 'readOnly' && methodAccess[method] === 'change')
        throw notPermitted(`(${method}) changes something`)
    },
  }
}
