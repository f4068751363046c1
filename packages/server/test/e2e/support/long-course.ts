import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { type ApprovalId, type Envelope, hookEvents, type Item, type ParamsOf } from '@parley/protocol'
import { type ModelServer, type ScriptedStep, startModelServer } from '@parley/testkit'
import { expect } from 'vitest'
import { expectShownIsStored } from './after-kill.ts'
import { fullAccess, type ProcessPlace, processPlace, type SpawnedServer } from './spawned-server.ts'

/** One conversation, in plan mode at first, that goes from server to server; each dies by kill -9 in the middle of something. */
export interface LongCourse extends AsyncDisposable {
  readonly place: ProcessPlace
  readonly model: ModelServer
  /** Client and view of the server of now. */
  readonly client: TestClient
  readonly watched: Watched
  readonly ids: { readonly conversationId: string }
  /** Sends a message whose turn the model answers by these steps. */
  say(
    text: string,
    steps: readonly ScriptedStep[],
    more?: Partial<ParamsOf<'conversation/sendMessage'>>,
  ): Promise<unknown>
  /** Kills the server, and has another one resume the conversation. */
  killed(): Promise<void>
  /** Resolves when a part of a text of the model has come. */
  streams(type: Item['type']): Promise<unknown>
  /** Waits for a question, kills the server, and returns the question's id, which is the same in the next one. */
  killedWhileAsked(kind: string): Promise<ApprovalId>
  answer(
    approvalId: ApprovalId,
    answer: Omit<ParamsOf<'approval/decide'>, 'conversationId' | 'approvalId'>,
  ): Promise<void>
  /** Resolves when the turn has ended well, with all steps of the model. */
  turnEnded(): Promise<void>
  /** Goes on with a turn that a kill has cut. */
  goOn(steps: readonly ScriptedStep[], more?: Partial<ParamsOf<'conversation/sendMessage'>>): Promise<void>
  configure(settings: ParamsOf<'conversation/configure'>['settings']): Promise<void>
  /** Everything that the log has, from its beginning. */
  log(): readonly Envelope['event'][]
  /** Completed items of the log. */
  done(): readonly Item[]
  /** Ends the last server politely. */
  leave(): Promise<void>
}

/** A hook for each moment, and one before list_dir that waits for the file `go` in the home. */
function hookConfig(home: string): string {
  const each = hookEvents.map((on) => `[[hooks.${on}]]\n[[hooks.${on}.hooks]]\nname = "${on}"\ncommand = ["true"]\n`)
  const waits = `until [ -e ${join(home, 'go')} ]; do sleep 0.02; done`
  const slow = `[[hooks.PreToolUse]]\nmatcher = "list_dir"\n[[hooks.PreToolUse.hooks]]\nname = "waits"\ncommand = "${waits}"\n`
  return [...each, slow].join('\n')
}

export async function longCourse(files: Readonly<Record<string, string>>): Promise<LongCourse> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer())
  const place = stack.use(processPlace(model.url))
  const config = join(place.root, '.parley/config.toml')
  writeFileSync(config, `${place.read('../.parley/config.toml')}\n${hookConfig(place.root)}`)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true })
    writeFileSync(join(place.root, path), text)
  }
  const begin = async () => {
    const server = place.spawn(undefined, {}, fullAccess)
    return { server, client: await server.connect() }
  }
  let now: { readonly server: SpawnedServer; readonly client: TestClient } = await begin()
  const { conversationId } = await now.client.request('conversation/create', { cwd: place.cwd, sandbox: 'read-only' })
  const ids = { conversationId }
  let watched = await now.client.watch(conversationId)
  const owned = stack.move()

  const log = () =>
    place
      .logLines(conversationId)
      .slice(1)
      .map((line): Envelope['event'] => JSON.parse(line).event)

  async function killed(): Promise<void> {
    now.server.child.kill('SIGKILL')
    await now.server.exited
    expectShownIsStored(place, watched)
    now = await begin()
    await now.client.request('conversation/resume', ids)
    watched = await now.client.watch(conversationId)
  }

  const course: LongCourse = {
    place,
    model,
    ids,
    log,
    killed,
    get client() {
      return now.client
    },
    get watched() {
      return watched
    },
    say(text, steps, more = {}) {
      model.script(steps)
      return watched.send(text, more)
    },
    streams: (type) =>
      watched.until(({ core }) => Object.values(core.open).some(({ item }) => item.type === type && item.text !== '')),
    async killedWhileAsked(kind) {
      const asked = await watched.approval()
      expect(asked.kind).toBe(kind)
      await killed()
      expect(await watched.approval()).toMatchObject({ id: asked.id, kind, title: asked.title, detail: asked.detail })
      return asked.id
    },
    async answer(approvalId, answer) {
      await now.client.request('approval/decide', { ...ids, approvalId, ...answer })
      await course.turnEnded()
    },
    async turnEnded() {
      await watched.turnEnded()
      const outcome = watched.state.core.lastTurn?.outcome
      expect({ left: model.pending(), outcome }).toEqual({ left: 0, outcome: 'completed' })
    },
    async goOn(steps, more) {
      expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
      await course.say('go on', steps, more)
      await course.turnEnded()
    },
    async configure(settings) {
      await now.client.request('conversation/configure', { ...ids, settings })
      await watched.until(({ core }) =>
        Object.entries(settings).every(([key, value]) => Reflect.get(core.settings, key) === value),
      )
    },
    done: () => log().flatMap((event) => (event.type === 'item.completed' ? [event.item] : [])),
    async leave() {
      now.server.child.kill('SIGTERM')
      await now.server.exited
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return course
}
