import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Approval,
  ApprovalDecision,
  Conversation,
  ConversationState,
  Envelope,
  Item,
  Overrides,
  Parley,
} from '@parley/client'
import type { RecordedRequest, ScriptedStep } from '@parley/testkit'
import type { Mode } from './attack-case.ts'

/** A question as it was put, with the state it was part of. */
export interface Asked {
  readonly approval: Approval
  readonly state: ConversationState
}

/** Outcome of one conversation with the model. */
export interface Talk {
  readonly conversationId: string
  readonly state: ConversationState
  readonly events: readonly Envelope[]
  readonly asked: readonly Asked[]
  readonly items: readonly Item[]
  readonly requests: readonly RecordedRequest[]
}

export interface TalkRecipe {
  readonly client: Parley
  readonly attack: string
  readonly cwd: string
  readonly settings: Overrides & { readonly environment?: string; readonly environmentCwd?: string }
  /** Called while nothing has been answered; its result is the answer. */
  readonly answer?: (asked: Asked) => ApprovalDecision | Promise<ApprovalDecision>
}

export interface Scripts {
  script(attack: string, steps: readonly ScriptedStep[]): void
  requestsOf(attack: string): readonly RecordedRequest[]
}

export const settingsOf: Readonly<Record<Mode, Pick<Overrides, 'approvalPolicy' | 'sandbox'>>> = {
  'read-only': { approvalPolicy: 'on-request', sandbox: 'read-only' },
  'workspace-write': { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  'ask-unless-known-safe': { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  'on-request': { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
}

/** A conversation that is streamed. */
export interface OpenTalk {
  readonly conversationId: string
  readonly events: readonly Envelope[]
  state(): ConversationState
  items(): readonly Item[]
  /** Resolves when it holds; looked at after every event. */
  until<Found>(look: (state: ConversationState) => Found): Promise<NonNullable<Found>>
  /** A question that is pending. */
  question(): Promise<Approval>
  decide(decision: ApprovalDecision): Promise<unknown>
  send(text: string): Promise<unknown>
  ended(): Promise<unknown>
  close(): Promise<void>
}

export function openTalk(client: Parley, conversation: Conversation): OpenTalk {
  const { id: conversationId } = conversation
  const events: Envelope[] = []
  const looks = new Set<() => void>()
  conversation.subscribe((envelope) => {
    if (envelope !== null) events.push(envelope)
    for (const look of [...looks]) look()
  })
  const lost = client.closed.then((reason): never => {
    throw new Error(`the server has gone: ${reason?.message}`)
  })
  const until: OpenTalk['until'] = (find) => {
    const found = new Promise<NonNullable<ReturnType<typeof find>>>((resolve) => {
      const look = () => {
        const value = find(conversation.state)
        if (value === undefined || value === null || value === false) return
        looks.delete(look)
        resolve(value)
      }
      looks.add(look)
      look()
    })
    return Promise.race([found, lost])
  }
  const question = () =>
    until(({ core }) => Object.values(core.approvals).find((approval) => approval.state === 'pending'))
  let turns = conversation.state.core.counts.turns
  return {
    conversationId,
    events,
    until,
    question,
    state: () => conversation.state,
    items: () => conversation.state.window.map(({ item }) => item),
    async decide(decision) {
      const { id: approvalId } = await question()
      return conversation.decide(approvalId, decision)
    },
    send(text) {
      turns = conversation.state.core.counts.turns
      return conversation.request('conversation/sendMessage', { input: [{ type: 'text', text }] })
    },
    ended: () => until(({ core }) => core.counts.turns > turns && core.turn === null),
    close: () => conversation.close(),
  }
}

/** Message that starts an attack: the attack's name selects the script of the model. */
export const messageOf = (attack: string): string => `attack <${attack}>`

/** Sends one message and waits for the end of its turn. Questions get a no unless the recipe says otherwise. */
export async function converse(scripts: Scripts, recipe: TalkRecipe, steps: readonly ScriptedStep[]): Promise<Talk> {
  const { client, attack, cwd, settings, answer = () => 'denied' as const } = recipe
  scripts.script(attack, steps)
  const conversation = await client.create({ cwd, ...settings })
  const talk = openTalk(client, conversation)
  const asked: Asked[] = []
  await talk.send(messageOf(attack))
  for (;;) {
    const approval = await Promise.race([talk.ended().then(() => null), unseen(talk, asked)])
    if (approval === null) break
    const question = { approval, state: talk.state() }
    asked.push(question)
    const decision = await answer(question)
    await conversation.decide(approval.id, decision)
  }
  await talk.close()
  const { events } = talk
  const requests = scripts.requestsOf(attack)
  return { conversationId: conversation.id, state: talk.state(), events, asked, items: talk.items(), requests }
}

const unseen = ({ until }: OpenTalk, asked: readonly Asked[]) =>
  until(({ core }) =>
    Object.values(core.approvals).find(
      ({ id, state }) => state === 'pending' && !asked.some(({ approval }) => approval.id === id),
    ),
  )

/** Files of one conversation: its log and all that lies beside it. */
export function filesOf(parleyHome: string, conversationId: string): readonly string[] {
  const sessions = join(parleyHome, 'sessions')
  return readdirSync(sessions, { recursive: true })
    .map((name) => join(sessions, String(name)))
    .filter((path) => path.includes(conversationId) && statSync(path).isFile())
}

/** Returns the content of files; one that has gone meanwhile has none. */
export function bytesOf(paths: readonly string[]): string {
  return paths.map((path) => (existsSync(path) ? readFileSync(path, 'latin1') : '')).join('\n')
}

/** Returns the output of a conversation's commands, as people see it. */
export function outputOf({ items }: Pick<Talk, 'items'>): string {
  return items
    .flatMap((item) => ('output' in item && item.output !== undefined ? [item.output.head, item.output.tail] : []))
    .join('\n')
}

/** Returns the results that the model got for its calls. */
export function toldModel({ items }: Pick<Talk, 'items'>): string {
  return items.flatMap((item) => ('modelText' in item ? [item.modelText ?? ''] : [])).join('\n')
}

/** Returns true when a call of the model was started. */
export const hasBegun = ({ events }: Pick<Talk, 'events'>): boolean =>
  events.some(({ event }) => event.type === 'execution.started')
