import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import type { ConversationState } from '@parley/protocol'
import { type RecordedRequest, type ScriptedStep, startModelServer, waitUntil } from '@parley/testkit'
import fc from 'fast-check'
import { fullAccess, type ProcessPlace, processPlace } from './spawned-server.ts'

/** One thing that a user or bad luck does next. */
export type Act =
  | { readonly kind: 'say'; readonly when: 'now' | 'queue' | 'steer' }
  | { readonly kind: 'wait'; readonly events: number }
  | { readonly kind: 'decide'; readonly decision: 'approved' | 'approvedForSession' | 'denied' }
  | { readonly kind: 'interrupt' | 'shell' | 'continue' | 'configure' | 'compact' | 'settle' }
  | { readonly kind: End }

/** How a server ends: killed, told to, or left by its only client. */
type End = 'kill' | 'terminate' | 'leave'

/** Answers of the model, by name. */
const answers = {
  text: (nth) => ({ text: `Answer ${nth}.`, chunks: 3 }),
  reasoning: (nth) => ({ reasoning: `Thought ${nth}.`, text: `Answer ${nth}.` }),
  command: (nth) => ({ text: 'First:', calls: [shell(`echo ran ${nth} >> ran`)] }),
  long: () => ({ calls: [shell('echo waits; sleep 600')] }),
  two: (nth) => ({
    calls: [shell(`echo a ${nth}; sleep 0.05`), call('read_file', { path: 'a.txt' }), shell(`echo b ${nth} >> ran`)],
  }),
  patch: (nth) => ({ calls: [call('apply_patch', { patch: addFile(nth) }), call('list_dir', { path: '.' })] }),
  lookUp: () => ({
    reasoning: 'Look.',
    calls: [call('read_file', { path: 'a.txt' }), call('search', { pattern: 'old' })],
  }),
  silent: () => ({ hang: 'headers' }),
  half: (nth) => ({ hang: 'mid', text: `A long answer ${nth}, of which half comes.`, chunks: 8 }),
  background: () => ({ calls: [shell('sleep 0.2; echo done', { background: true })] }),
  fails: () => ({ status: 500 }),
  unknownTool: () => ({ calls: [call('shel', { command: 'x' })] }),
} satisfies Readonly<Record<string, (nth: number) => Reply>>

type Reply = Exclude<ScriptedStep, (...parts: never[]) => unknown>

const call = (name: string, args: unknown) => ({ name, arguments: args })
const shell = (command: string, more = {}) => call('shell', { command, ...more })
const addFile = (nth: number) => `*** Begin Patch\n*** Add File: new-${nth}.txt\n+new\n*** End Patch`

/** What happens to one conversation, and what its model says. */
export interface Life {
  readonly acts: readonly Act[]
  readonly answers: readonly (keyof typeof answers)[]
  /** False for a conversation where nothing is asked. */
  readonly asks: boolean
}

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('say'), when: fc.constantFrom('now', 'now', 'queue', 'steer') }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait'), events: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      decision: fc.constantFrom('approved', 'approved', 'approvedForSession', 'denied'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('interrupt', 'interrupt', 'settle', 'settle', 'compact') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('shell', 'continue', 'configure') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('kill', 'terminate', 'leave', 'leave') }) },
)

const names = Object.keys(answers).filter((name): name is keyof typeof answers => name in answers)

export const randomLife = (acts: number): fc.Arbitrary<Life> =>
  fc.record({
    acts: fc.array(act, { minLength: acts, maxLength: acts }),
    answers: fc.array(fc.constantFrom(...names, 'text', 'command', 'two'), { minLength: acts, maxLength: acts }),
    asks: fc.boolean(),
  })

/** Server of now, with its only client. */
interface Serving {
  readonly client: TestClient
  readonly watched: Watched
  end(how: End): Promise<unknown>
}

/** Conversation after its life, whose last server was killed. */
interface Lived {
  readonly place: ProcessPlace
  readonly conversationId: string
}

/** Has servers that are processes live through a life, and calls `check` with what is left. */
export async function live(life: Life, check: (lived: Lived) => Promise<void>): Promise<void> {
  const model = livelyModel(life)
  await using server = await startModelServer(Array.from({ length: life.acts.length * 10 }, () => model.step))
  await using place = processPlace(server.url)
  place.write('a.txt', 'old\n')
  const asking = life.asks ? {} : ({ sandbox: 'danger-full-access', approvalPolicy: 'never' } as const)
  let conversationId: string | null = null
  let now: Serving | null = null

  async function serving(): Promise<Serving> {
    if (now !== null) return now
    const { client, end } = await begin(place)
    const known =
      conversationId === null ? null : await client.request('conversation/resume', { conversationId }).catch(() => null)
    const opened = known ?? (await client.request('conversation/create', { cwd: place.cwd, ...asking }))
    conversationId = opened.conversationId
    now = { client, end, watched: await client.watch(conversationId) }
    return now
  }

  for (const act of life.acts) {
    const { client, watched, end } = await serving()
    if (isEnd(act)) {
      now = null
      await end(act.kind)
      model.forget()
      // A user is refused much: there is no turn to interrupt, or one runs already.
    } else await perform(act, { client, watched, hangs: model.hangs }).catch(() => undefined)
  }
  const last = await serving()
  await last.end('kill')
  await check({ place, conversationId: last.watched.conversationId })
}

function isEnd(act: Act): act is { readonly kind: End } {
  return act.kind === 'kill' || act.kind === 'terminate' || act.kind === 'leave'
}

/** Model of a life, and how many of its answers are silent now. */
function livelyModel(life: Life) {
  let hanging = 0
  let asked = 0
  return {
    hangs: () => hanging > 0,
    forget() {
      hanging = 0
    },
    step(request: RecordedRequest): Reply {
      const name = life.answers[asked++ % life.answers.length] ?? 'text'
      const reply: Reply = answers[name](asked)
      if ('hang' in reply) {
        hanging++
        void request.dropped.then(() => hanging--)
      }
      return reply
    },
  }
}

async function begin(place: ProcessPlace) {
  const server = place.spawn(undefined, {}, fullAccess)
  const ends: Readonly<Record<End, () => unknown>> = {
    kill: () => server.child.kill('SIGKILL'),
    terminate: () => server.child.kill('SIGTERM'),
    leave() {
      server.child.stdin?.destroy()
      server.child.stdout?.destroy()
    },
  }
  const end = (how: End) => {
    ends[how]()
    return server.exited
  }
  return { client: await server.connect(), end }
}

interface Scene {
  readonly client: TestClient
  readonly watched: Watched
  /** Tells if the model is silent. */
  readonly hangs: () => boolean
}

async function perform(act: Exclude<Act, { readonly kind: End }>, scene: Scene): Promise<unknown> {
  const { client, watched } = scene
  const { conversationId } = watched
  const id = { conversationId }
  switch (act.kind) {
    case 'say':
      return watched.send(`message ${watched.events.length}`, { when: act.when })
    case 'wait':
      return came(scene, act.events)
    case 'settle':
      return came(scene, Infinity)
    case 'decide': {
      await came(scene, Infinity)
      const asked = Object.values(watched.state.core.approvals).find(({ state }) => state === 'pending')
      return client.request('approval/decide', { ...id, approvalId: asked?.id ?? '', decision: act.decision })
    }
    case 'interrupt':
      return client.request('conversation/interrupt', id)
    case 'shell':
      return client.request('conversation/runShell', { ...id, command: 'echo mine' })
    case 'continue':
      return client.request('conversation/continue', id)
    case 'configure': {
      const effort = watched.state.core.settings.effort === 'low' ? 'high' : 'low'
      return client.request('conversation/configure', { ...id, settings: { effort } })
    }
    case 'compact':
      return client.request('conversation/compact', id)
  }
}

/** Resolves once so many events have come, or none will come by itself. */
async function came({ watched, hangs }: Scene, events: number): Promise<void> {
  const from = watched.events.length
  const isEnough = () => watched.events.length - from >= events || isQuiet(watched.state) || hangs()
  await waitUntil(isEnough, { what: 'quiet', timeoutMs: 2000 }).catch(() => undefined)
}

function isQuiet({ core }: ConversationState): boolean {
  if (core.turn === null) return core.inbox.length === 0 || core.inboxPaused
  if (core.turn.parked || Object.values(core.approvals).some(({ state }) => state === 'pending')) return true
  return Object.values(core.open).some(({ output }) => output.includes('waits'))
}
