import type { BackgroundProcess, ProcessInput } from '@parley/host'
import { decide, explainDecision, reachOf, sandboxLimits } from '@parley/policy'
import {
  type ItemId,
  isStricterSandbox,
  type ParamsOf,
  type ResultOf,
  settingsInForce,
  titleOf,
} from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { decideSettings } from '../calls/attempt.ts'
import { noticeEvent, noticeItem } from '../conversation/notices.ts'
import { backgroundTyped } from '../core/view/background-left.ts'
import { aboveOwnCeiling } from '../limits/ceiling.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { factsOfTyping, runningProcess, typedText, typeInto, whyNotTyped } from '../tools/processes/type-into.ts'

type WriteParams = ParamsOf<'conversation/process/write'>

export interface TypingPorts {
  readonly tools: ToolPorts
  readonly roles: Roles
}

/** Types into background commands for users, in the order of the requests. */
export type UserTyping = (
  params: WriteParams,
  client: Pick<Guest, 'actor' | 'mayLoosen' | 'rights'>,
) => Promise<ResultOf<'conversation/process/write'>>

/** Name of secrets that were typed. */
export const typedSecret = 'typed'

/** Text with its line end, and the text as others may see it. */
interface Text {
  readonly sent: string
  readonly shown: string
}

/** Creates the typing of users into background commands. Typed text is on disk before the command has it. */
export function createUserTyping(ports: TypingPorts): UserTyping {
  let earlier: Promise<unknown> = Promise.resolve()
  return async (params, client) => {
    const begun = earlier.then(() => type(params, client, ports))
    earlier = begun.catch(() => undefined)
    const taken = await (await begun).taken
    if (taken === false) throw takesNoInput(params.itemId, 'no longer reads')
    return { taken: taken === true }
  }
}

async function type(params: WriteParams, client: Parameters<UserTyping>[1], ports: TypingPorts) {
  const { clock } = ports.tools
  const { itemId, size, close, hidden } = params
  const { process, stdin } = writableProcess(params, ports)
  const text = textOf(params, ports)
  await assertMayType(process, text.sent, { client, ports })
  if (text.sent !== '' || close === true) await recordTyped(params, { text, by: client.actor, ports })
  // It may have ended, or been stopped by narrower limits, while the log was written.
  assertTakes(itemId, stdin, text.sent)
  const typed = typeInto(stdin, { text: text.sent, enter: false, close, size, hidden }, clock)
  if (!typed.isEnded) throw takesNoInput(itemId, 'has a terminal, whose input Ctrl+D ends')
  return { taken: typed.taken }
}

function writableProcess({ itemId, ...typed }: WriteParams, { tools }: TypingPorts) {
  const process = runningProcess(itemId, tools)
  if (process === null)
    throw rejection('processNotFound', `No command ${itemId} runs in the background here, so nothing was typed.`)
  const stdin = tools.background.input(itemId)
  return { process, stdin: assertTakes(itemId, stdin, sentText(typed)) }
}

function assertTakes(itemId: ItemId, stdin: ProcessInput | null, text: string): ProcessInput {
  if (stdin?.isOpen !== true)
    throw takesNoInput(
      itemId,
      'takes no input. The model starts one that does: ask for background and, for a console, a terminal',
    )
  const why = whyNotTyped(stdin, text)
  if (why !== null) throw takesNoInput(itemId, why)
  return stdin
}

function takesNoInput(itemId: ItemId, why: string): RpcError {
  return rejection('processTakesNoInput', `The command ${itemId} ${why}.`)
}

function sentText({ text, enter }: Pick<WriteParams, 'text' | 'enter'>): string {
  return text === undefined ? '' : typedText({ text, enter })
}

function textOf(params: WriteParams, { tools: { redaction } }: TypingPorts): Text {
  const { text = '', hidden } = params
  const sent = sentText(params)
  return { sent, shown: hidden === true && text !== '' ? redaction.hide(typedSecret, text) : sent }
}

interface TypingBy {
  readonly client: Parameters<UserTyping>[1]
  readonly ports: TypingPorts
}

/**
 * Throws `notPermitted` for a text that the model could not type there unasked, by a client that may not run commands of
 * its own.
 */
async function assertMayType(process: BackgroundProcess, text: string, { client, ports }: TypingBy): Promise<void> {
  if (text === '' || (client.mayLoosen && client.rights.has('operator'))) return
  const { tools, roles } = ports
  const { state } = roles.record.conversation
  const facts = await factsOfTyping(process, text, { workspace: workspaceOf(state), ports: tools })
  const sessionGrants = roles.act.memory.grants.under(settingsInForce(state.core).sandbox)
  const settings = decideSettings({ state, rules: roles.people.rules, sessionGrants })
  const { maxSandbox } = client.rights
  const reached = reachOf({ facts, limits: sandboxLimits(facts, 'unsandboxed', settings) })
  if (maxSandbox !== null && isStricterSandbox(maxSandbox, reached)) throw aboveOwnCeiling(maxSandbox, reached)
  const decision = decide(facts, settings)
  if (decision.verdict === 'allow') return
  throw rejection(
    'notPermitted',
    `Not typed: ${explainDecision(decision)}. Ask the model to type it, and answer its question.`,
  )
}

interface TypedBy {
  readonly text: Text
  readonly by: Guest['actor']
  readonly ports: TypingPorts
}

/** Records typed text. Resolves when it is on disk and no other server has taken the conversation. */
async function recordTyped({ itemId, close }: WriteParams, { text, by, ports }: TypedBy): Promise<void> {
  const { conversation, ids } = ports.roles.record
  const { background = {} } = conversation.state.core
  const title = titleOf(background[itemId]?.title ?? itemId)
  const notice = noticeItem(ids.item(), {
    level: 'info',
    code: backgroundTyped,
    title: close === true ? `Ended the input of ${title}` : `Typed into ${title}`,
    text: text.shown,
    typed: itemId,
    by,
  })
  conversation.record(noticeEvent(conversation, notice))
  await conversation.synced()
  await conversation.mayAct()
}
