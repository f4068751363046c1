import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedStore, Shipment } from '@parley/engine/shared-store'
import { type Answer, type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { STORE_TAKEN, StorageError } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { storeThat } from '../../environments/support/passed-on-store.ts'
import { calling, type McpPlace, mcpPlace } from '../../tools/mcp/support/mcp-place.ts'
import type { Talk } from '../support/test-server.ts'

/** Store whose conversations another server takes from a moment on, of which this server learns by asking only. */
function takenStore(isTaken: () => boolean): SharedStore {
  let failure: StorageError | null = null
  const taken = () => {
    failure ??= new StorageError({ code: STORE_TAKEN, operation: 'act for', path: 'nats://test' })
  }
  const assertMayAct = () => {
    if (isTaken()) taken()
    if (failure !== null) throw failure
  }
  const shipment: Shipment = {
    epoch: 1,
    row: null,
    wrote: () => undefined,
    describe: () => undefined,
    acknowledged: async () => undefined,
    mayAct: async () => assertMayAct(),
    assertMayAct,
    taken,
    get trouble() {
      return failure
    },
    close: async () => undefined,
  }
  return storeThat(() => shipment)
}

interface Effect {
  /** First answer of the model. */
  readonly answer: Answer
  /** Tells if it happened. */
  readonly happened: (place: McpPlace, model: ScriptedModel) => boolean
  readonly begin?: (talk: Talk) => Promise<unknown>
  /** Default: when the model has answered. */
  readonly isTaken?: () => boolean
}

const ran = ({ cwd }: McpPlace) => existsSync(join(cwd, 'ran'))
const command = { calls: [{ name: 'shell', args: { command: 'echo x > ran' } }] }
const patch = '*** Begin Patch\n*** Add File: ran\n+x\n*** End Patch'

const effects: Readonly<Record<string, Effect>> = {
  'a command': { answer: command, happened: ran },
  'a background command': {
    answer: { calls: [{ name: 'shell', args: { command: 'echo x > ran; sleep 60', background: true } }] },
    happened: ran,
  },
  'a patch': { answer: { calls: [{ name: 'apply_patch', args: { patch } }] }, happened: ran },
  'a call of an MCP server': {
    answer: calling('echo', { a: 1 }),
    happened: (place) => place.diary('ugly').some(({ method }) => method === 'tools/call'),
  },
  'a request to the model': {
    answer: { text: 'never' },
    happened: (_, model) => model.requests.length > 0,
    isTaken: () => true,
  },
  'a command of the user': {
    answer: { text: 'never' },
    happened: ran,
    begin: ({ client, watched: { conversationId } }) =>
      client.request('conversation/runShell', { conversationId, command: 'echo x > ran' }),
    isTaken: () => true,
  },
}

describe('a server that another has taken a conversation from', () => {
  it.each(Object.entries(effects))('begins no effect that it had recorded: %s', async (_, effect) => {
    const { answer, happened, begin = ({ watched }) => watched.send('go') } = effect
    await using place = mcpPlace()
    place.configure('ugly', 'plain')
    const model = scriptedModel(answer, { text: 'more' })
    const { isTaken = () => model.requests.length > 0 } = effect
    const talk = await place.talkTo(
      model,
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
      { store: takenStore(isTaken) },
    )
    await begin(talk)
    const notice = await talk.client.notice(({ code }) => code === 'storageFailed')
    expect(notice.message).toContain('taken this conversation over')
    await talk.server.close()
    expect(happened(place, model)).toBe(false)
  })
})
