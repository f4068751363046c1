import { type Actor, type ParamsOf, protocolVersions, type ResultOf } from '@parley/protocol'
import { refusal } from '../../engine/refusal.ts'
import type { ServerIdentity } from '../../identity.ts'

/** Where one connection stands in the handshake, and who is at its other end. */
export interface Session {
  readonly actor: Actor
  readonly canApprove: boolean
  initialize(params: ParamsOf<'initialize'>): ResultOf<'initialize'>
  initialized(): void
  /** Throws unless the handshake is done. */
  assertReady(): void
}

export function createSession(clientId: string, identity: ServerIdentity): Session {
  let name = 'client'
  let canApprove = false
  let stage: 'new' | 'answered' | 'ready' = 'new'

  return {
    get actor() {
      return { clientId, name }
    },
    get canApprove() {
      return canApprove
    },
    initialize({ protocolVersion, clientInfo, capabilities = [] }) {
      if (stage !== 'new') throw refusal('alreadyInitialized', 'initialize may only be sent once per connection.')
      const version = commonVersion(protocolVersion)
      stage = 'answered'
      name = clientInfo.name
      canApprove = capabilities.includes('approvals')
      return {
        protocolVersion: version,
        serverInfo: identity.serverInfo,
        clientId,
        home: identity.home,
        capabilities: ['conversation', 'inbox', 'fork', 'shell'],
      }
    },
    initialized() {
      if (stage === 'answered') stage = 'ready'
    },
    assertReady() {
      if (stage === 'new') throw refusal('notInitialized', 'The first request must be initialize.')
    },
  }
}

function commonVersion(theirs: { min: number; max: number }): number {
  const highest = Math.min(theirs.max, protocolVersions.max)
  if (highest >= Math.max(theirs.min, protocolVersions.min)) return highest
  const { min, max } = protocolVersions
  throw refusal(
    'protocolVersion',
    `No common protocol version: this server speaks ${min} to ${max}, the client ${theirs.min} to ${theirs.max}. Update the older one.`,
    { server: { min, max }, client: theirs },
  )
}
