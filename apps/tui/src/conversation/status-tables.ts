import type { ConversationState, ResultOf, Settings } from '@parley/protocol'
import { enforcementReasonOf, notKnownHarmless } from '../cli/messages.ts'
import type { Notice } from '../ui/notices/notice.ts'
import { placedPath } from '../view/text/formats.ts'

/** Returns the table of the conversation, its limits and its server. */
export function statusTable(state: ConversationState | null, server: ResultOf<'server/diagnostics'>): Notice {
  return {
    kind: 'table',
    title: 'Status',
    rows: [
      ...(state === null ? [] : conversationRows(state, server)),
      ['kept in', server.home],
      ['server', `${server.version} (${server.build}), process ${server.pid}, Node ${server.node}`],
      ['memory', `${Math.round(server.rssBytes / 1_048_576)} MB`],
    ],
  }
}

type Server = ResultOf<'server/diagnostics'>

function conversationRows({ core }: ConversationState, server: Server): (readonly [string, string])[] {
  const { meta, settings } = core
  return [
    ['conversation', meta.conversationId],
    ['folder', placedPath(meta.cwd, settings.environment, '')],
    ['model', `${settings.modelProvider} ${settings.model}`],
    ['approvals', settings.approvalPolicy],
    ['sandbox', sandboxText(settings)],
    ...(settings.sandbox === 'danger-full-access'
      ? []
      : [['enforced by', enforcementReasonOf(meta.conversationId, server)] as const]),
  ]
}

function sandboxText({ enforcement, sandbox, network, approvalPolicy }: Settings): string {
  if (sandbox === 'danger-full-access') return 'off: you chose full access'
  const open = network === true && sandbox === 'workspace-write' ? ', with network' : ''
  const rest = enforcement === 'full' ? '' : `: ${notKnownHarmless(approvalPolicy)}`
  return `${sandbox}${open}, ${enforcementWords[enforcement]}${rest}`
}

const enforcementWords = { full: 'enforced in full', partial: 'enforced in part', none: 'enforced by nothing' } as const
