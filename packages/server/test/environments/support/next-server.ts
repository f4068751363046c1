import { keptContents } from '@parley/engine/src/history/kept-contents.ts'
import { type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { fullAccess, type Talk } from '../../engine/support/test-server.ts'
import type { FarFolder } from './far-machine.ts'
import type { FarPlace } from './far-talk.ts'
import { passedOnStore } from './passed-on-store.ts'

/** A conversation on one of the servers that follow one another. */
export type There = Pick<Talk, 'client' | 'watched' | 'server'>

interface Begun {
  readonly network?: boolean
  readonly approvalPolicy?: 'untrusted' | 'on-request' | 'on-failure'
  /** Port through which the link goes; straight unless told. */
  readonly port?: number
}

/** Begins a conversation on the first server of a store. */
export function talkIn(
  place: FarPlace<FarFolder>,
  model: ScriptedModel,
  { port = place.far.port, ...more }: Begun = {},
): Promise<There> {
  const begun = { environment: 'box', approvalPolicy: 'untrusted', sandbox: 'workspace-write', ...more } as const
  return place.talk(model, { store: passedOnStore(), ceiling: fullAccess, port }, begun)
}

/** Resumes a conversation on the next server of its store. */
export async function resumeIn(
  { here }: FarPlace<FarFolder>,
  conversationId: string,
  { linkPatienceMs = 30_000, ...overrides }: { readonly sandbox?: 'read-only'; readonly linkPatienceMs?: number } = {},
  model = scriptedModel({ text: 'done' }),
): Promise<There> {
  const server = here.start({ store: laterStore(), model, linkPatienceMs })
  const client = await server.connect()
  await client.request('conversation/resume', { conversationId, overrides })
  return { server, client, watched: await client.watch(conversationId, { seq: 0, crc: null }) }
}

/** Store that has given a conversation away once. */
function laterStore() {
  const store = passedOnStore()
  void store.take({ conversationId: '', log: '', sideFiles: '', acked: '', contents: keptContents('') }, 'new')
  return store
}
