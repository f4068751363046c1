import type { Files } from '@parley/journal'
import { type CeilingFlags, createEditorServerTrust, defaultCeilingFlags } from '@parley/policy'
import type { AllowedServers } from '../limits/allowed-servers.ts'
import type { ConversationHost } from '../open/conversation-host.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { EditorServers } from '../ports/editor.ts'
import { readConfig } from '../settings/read-config.ts'
import type { OfferPorts } from './offer-servers.ts'

interface EditorServerParts extends Pick<OfferPorts, 'sandboxes' | 'redaction'> {
  readonly home: string
  readonly files: Files
  /** Flags of the command line that set the ceiling; undefined for the default ceiling. */
  readonly ceiling: CeilingFlags | undefined
  readonly clock: Pick<Clock, 'now'>
}

interface ServedConversations extends Pick<OfferPorts, 'report'> {
  readonly host: Pick<ConversationHost, 'conversations'>
  readonly allowedServers: AllowedServers
}

/** Returns the servers of editors in an engine; their code is loaded with the first use. */
export function editorServersOf(
  { home, files, ceiling = defaultCeilingFlags, sandboxes, redaction, clock }: EditorServerParts,
  { host, allowedServers, report }: ServedConversations,
): EditorServers {
  let loaded: Promise<EditorServers> | null = null
  const ports = (): OfferPorts => ({
    find: (id) => host.conversations.find(({ conversation }) => conversation.id === id),
    own: () => readConfig(home, ceiling.profile === null ? {} : { profile: ceiling.profile }).values,
    trust: createEditorServerTrust(home, files),
    ceiling,
    allowedServers,
    sandboxes,
    redaction,
    report,
    now: clock.now,
  })
  const servers = () => {
    loaded ??= import('./offer-servers.ts').then(({ createEditorServers }) => createEditorServers(ports()))
    return loaded
  }
  return {
    offer: async (...offer) => (await servers()).offer(...offer),
    decide: async (...decision) => (await servers()).decide(...decision),
    withdraw: async (conversationId) => (await loaded)?.withdraw(conversationId),
  }
}
