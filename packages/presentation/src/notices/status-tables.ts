import type { ConversationCore, ConversationState, ResultOf, Settings } from '@parley/protocol'
import { enforcementReasonOf, notKnownHarmless } from '../limits/limits-words.ts'
import { count, countOf, placedPath } from '../text/formats.ts'
import { costWords, tokenWords } from '../text/token-words.ts'
import type { Notice } from './notice.ts'

/** Returns the table of the conversation, its limits and its server. */
export function statusTable(
  state: ConversationState | null,
  server: ResultOf<'server/diagnostics'> & { readonly isSafe?: boolean },
  providers: Providers,
): Notice {
  return {
    kind: 'table',
    title: 'Status',
    rows: [
      ...(state === null ? [] : conversationRows(state, server, providers)),
      ...(server.isSafe === true ? [['configuration', 'left out, by --safe'] as const] : []),
      ['kept in', server.home],
      ['server', `${server.version} (${server.build}), process ${server.pid}, Node ${server.node}`],
      ['memory', `${Math.round(server.rssBytes / 1_048_576)} MB`],
    ],
  }
}

type Server = ResultOf<'server/diagnostics'>

type Providers = ResultOf<'provider/list'>['providers']

function conversationRows(
  { core }: ConversationState,
  server: Server,
  providers: Providers,
): (readonly [string, string])[] {
  const { meta, settings, usage } = core
  return [
    ['conversation', meta.conversationId],
    ['folder', placedPath(meta.cwd, settings.environment, '')],
    ...(meta.name === null ? [] : [['name', meta.name] as const]),
    ['model', `${settings.modelProvider} ${settings.model}`],
    ...loginRow(providers.find(({ id }) => id === settings.modelProvider)),
    ...(settings.effort === undefined ? [] : [['effort', settings.effort] as const]),
    ...usageRows(usage),
    ['approvals', settings.approvalPolicy],
    ['sandbox', sandboxText(settings)],
    ...(server.widerRules ?? []).map(ruleRow),
    ...(settings.sandbox === 'danger-full-access'
      ? []
      : [['enforced by', enforcementReasonOf(meta.conversationId, server)] as const]),
  ]
}

/** Returns the key that requests carry; no row for a provider without keys. */
function loginRow(provider: Providers[number] | undefined): (readonly [string, string])[] {
  if (provider === undefined || provider.key === 'notNeeded') return []
  const { key, keyFrom = '' } = provider
  if (key === 'missing') return [['login', 'none: /login asks for a key']]
  return [['login', key === 'set' ? `the key in ${keyFrom}` : 'the one that /login or `parley login` kept']]
}

/** Returns the row of a rule that gives a command more than the sandbox gives. */
function ruleRow({ text, file, line }: NonNullable<Server['widerRules']>[number]): readonly [string, string] {
  return ['rule', `${text} runs unasked (${file}${line === undefined ? '' : `:${line}`})`]
}

/** Words for a model without a known context window. */
const unknownWindow = 'of this model is not known: [models."NAME"] context_window sets it'

/** Returns the newest call's use of the model's context, and the tokens of all calls; no rows before the first call. */
function usageRows({ last, total, contextWindow }: ConversationCore['usage']): (readonly [string, string])[] {
  if (last === null) return []
  const size = contextWindow === null ? `; the window ${unknownWindow}` : ` of ${count(contextWindow)}`
  return [
    ['context', `${count(last.inputTokens + last.outputTokens)} tokens${size}`],
    ['tokens', tokenWords(total)],
    ['cost', costWords(total)],
  ]
}

function sandboxText({ enforcement, sandbox, network, approvalPolicy }: Settings): string {
  if (sandbox === 'danger-full-access') return 'off: you chose full access'
  const open = network === true && sandbox === 'workspace-write' ? ', with network' : ''
  const rest = enforcement === 'full' ? '' : `: ${notKnownHarmless(approvalPolicy)}`
  return `${sandbox}${open}, ${enforcementWords[enforcement]}${rest}`
}

const enforcementWords = { full: 'enforced in full', partial: 'enforced in part', none: 'enforced by nothing' } as const

/** Returns the table of the contents of the context window, and of its free part. */
export function contextTable({ tokens, contextWindow, isScaled, parts }: ResultOf<'conversation/context'>): Notice {
  const shareOf = (part: number) => {
    const whole = contextWindow ?? tokens
    return whole === 0 ? '' : ` · ${Math.round((part / whole) * 100)}%`
  }
  const shown = parts.filter(({ count }) => count > 0)
  const free = contextWindow === null ? [] : [['free', Math.max(0, contextWindow - tokens)] as const]
  const size = contextWindow === null ? '' : ` of ${count(contextWindow)}`
  const how = isScaled ? "estimated by the provider's count of the newest call" : 'estimated'
  return {
    kind: 'table',
    title: `Context of the next request: ${count(tokens)} tokens${size}, ${how}`,
    rows: [
      ...shown.map(
        (part) =>
          [partNames[part.kind], `${count(part.tokens)} tokens${shareOf(part.tokens)}${itemsOf(part)}`] as const,
      ),
      ...free.map(([name, left]) => [name, `${count(left)} tokens${shareOf(left)}`] as const),
      ...(contextWindow === null ? [['window', unknownWindow] as const] : []),
    ],
  }
}

type ContextPart = ResultOf<'conversation/context'>['parts'][number]

const partNames: Readonly<Record<ContextPart['kind'], string>> = {
  instructions: 'instructions',
  files: 'AGENTS.md',
  tools: 'tools',
  talk: 'talk',
  outputs: 'outputs',
}

function itemsOf({ kind, count: number }: ContextPart): string {
  const word = { instructions: null, files: 'file', tools: 'tool', talk: 'message', outputs: 'result' }[kind]
  return word === null ? '' : ` · ${countOf(number, word)}`
}
