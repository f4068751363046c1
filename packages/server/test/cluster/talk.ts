import type { ConversationState } from '@parley/protocol'
import { type Attached, createAttachment, isPassing, type Shown, within } from './attachment.ts'
import type { Member, Reach, Team } from './team.ts'

/** Somebody who talks in one conversation, and goes to another server when one does not answer. */
export interface Talk {
  readonly conversationId: string
  /** Server that it was last on. */
  readonly at: Member
  /** Returns what its connections were shown since the last call, and forgets it. */
  takeShown(): Shown[]
  /** Returns the longest time without an event since the last call, in ms. */
  takeLongestGap(): number
  /** Takes one turn after the other until a signal, then until one more has ended. */
  turnsUntil(over: AbortSignal): Promise<void>
  /** Resolves to the id of a question once one is open; it stays open. */
  question(): Promise<string>
}

export async function startTalk(team: Team, home: Member): Promise<Talk> {
  const { reach, place } = home
  if (reach === null) throw new Error('the server is not there')
  const { conversationId } = await reach.driver.request('conversation/create', { cwd: place.cwd })
  let lastShownMs = performance.now()
  let longestGapMs = 0

  function noteShown(): void {
    longestGapMs = Math.max(longestGapMs, performance.now() - lastShownMs)
    lastShownMs = performance.now()
  }

  const attachment = createAttachment(team, { conversationId, home, onShown: noteShown })

  function lookAt<Found>({ watched, reach }: Attached, look: (state: ConversationState, act: Act) => Found) {
    const failed = Promise.withResolvers<never>()
    const act: Act = (request) => void request(reach).catch(failed.reject)
    const found = watched.until((state) => {
      noteShown()
      return look(state, act)
    })
    return within(reach, Promise.race([found, failed.promise]))
  }

  /** Looks at each state on whichever server has the conversation, until something is found. */
  async function until<Found>(look: (state: ConversationState, act: Act) => Found): Promise<NonNullable<Found>> {
    for (;;) {
      try {
        return await lookAt(await attachment.find(), look)
      } catch (error) {
        if (!isPassing(error)) throw error
        attachment.forget()
      }
    }
  }

  async function turnsUntil(over: AbortSignal): Promise<void> {
    const hand = createHand(conversationId, 'yes')
    let before: string | null = null
    await until((state, act) => {
      const { turn, lastTurn } = state.core
      if (!over.aborted) before = lastTurn?.id ?? null
      else if (turn === null && lastTurn !== null && lastTurn.id !== before) return true
      hand(state, act)
      return false
    })
  }

  await attachment.readAt(home, reach)
  await turnsUntil(AbortSignal.abort())
  return {
    conversationId,
    get at() {
      return attachment.at
    },
    takeShown: attachment.takeShown,
    takeLongestGap() {
      const gap = Math.max(longestGapMs, performance.now() - lastShownMs)
      longestGapMs = 0
      return gap
    },
    turnsUntil,
    question: () => {
      const hand = createHand(conversationId, 'leave open')
      return until((state, act) => {
        hand(state, act)
        return Object.values(state.core.approvals).find((known) => known.state === 'pending')?.id
      })
    },
  }
}

type Act = (request: (reach: Reach) => Promise<unknown>) => void

/** Does what a conversation waits for, each once at a place. */
function createHand(conversationId: string, questions: 'yes' | 'leave open') {
  const doneAt = new WeakMap<Act, Set<string>>()
  return ({ core }: ConversationState, act: Act) => {
    const done = doneAt.get(act) ?? new Set()
    doneAt.set(act, done)
    const once = (key: string, request: Parameters<Act>[0]) => {
      if (done.has(key)) return
      done.add(key)
      act(request)
    }
    const pending = Object.values(core.approvals).filter(({ state }) => state === 'pending')
    for (const { id: approvalId } of questions === 'yes' ? pending : [])
      once(approvalId, ({ driver }) =>
        driver.request('approval/decide', { conversationId, approvalId, decision: 'approved' }),
      )
    if (core.turn?.parked === true && pending.length === 0)
      once(`continue ${core.seq}`, ({ driver }) => driver.request('conversation/continue', { conversationId }))
    if (core.turn === null)
      once(`send after ${core.lastTurn?.id}`, ({ driver }) =>
        driver.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'go' }] }),
      )
  }
}
