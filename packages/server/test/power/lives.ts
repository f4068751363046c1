import { join } from 'node:path'
import { watchedHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { type Files, nodeFiles } from '@parley/journal'
import { diskPatchFiles } from '@parley/workspace'
import { richTalk } from '../engine/support/rich-talk.ts'
import type { Talk, TestPlace } from '../engine/support/test-server.ts'
import { type Tell, tellSeen } from './facts.ts'

/** Lives of conversations, by name: each tells what happens in it. */
export const lives: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async 'turns with calls, questions, a patch and waiting messages'({ place }) {
    const { server } = await richTalk(place)
    await server.close()
  },
  async 'a fork, a deletion and an imported bundle'({ place, tell }) {
    const model = scriptedModel({ text: 'A', calls: [command('seq 1 9999')] }, { text: 'B' }, { text: 'C' })
    const { client, watched, server } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const fork = await client.request('conversation/fork', { conversationId })
    tell({ fact: 'made', conversationId: fork.conversationId, seq: watched.state.core.seq })
    const forked = await client.watch(fork.conversationId)
    tellSeen(forked, tell)
    await forked.send('two')
    await forked.turnEnded()
    const file = join(place.root, 'a.tar')
    await client.request('bundle/write', { conversation: conversationId, file })
    tell({ fact: 'deleting', conversationId })
    await client.request('conversation/delete', { conversationId })
    tell({ fact: 'deleted', conversationId })
    const opened = await client.request('bundle/open', { file, cwd: place.cwd })
    tell({ fact: 'made', conversationId: opened.conversationId, seq: watched.state.core.seq })
    await server.close()
  },
  async 'a log of a process that was killed before it synced anything'({ place, tell }) {
    const killed = await place.quiet.talk({ files: unsynced, checkpoints, model: scriptedModel({ text: 'A' }) })
    await killed.watched.send('one')
    await killed.watched.turnEnded()
    const { conversationId } = killed.watched
    await killed.server.close()
    const model = scriptedModel({ calls: [command('touch made')] }, { calls: [command('seq 1 9999')] }, { text: 'B' })
    const server = place.start({ model })
    const client = await server.connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    tellSeen(watched, tell)
    await watched.send('two')
    await watched.decide('approved')
    await watched.turnEnded()
    await server.close()
  },
  async 'a rule, a login and a command of the user'({ place, tell }) {
    const model = scriptedModel({ text: 'A' }, { calls: [command('touch made')] }, { text: 'B' })
    const { client, watched, server } = await place.talk({ model })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'seq 1 8888' })
    await watched.until((state) => state.window.find(({ item }) => item.id === itemId && item.status === 'completed'))
    await watched.send('two')
    const { always } = await watched.approval()
    await watched.decide('approvedAlways')
    tell({ fact: 'rule', rule: always?.rule ?? 'none' })
    await watched.turnEnded()
    for (const [provider, key] of [
      ['a', 'first-key'],
      ['b', 'second-key'],
      ['a', 'third-key'],
    ] as const) {
      await server.parts.providers.credentials.keep(`provider/${provider}`, { kind: 'key', key }, 'auto')
      tell({ fact: 'login', provider: `provider/${provider}` })
    }
    await server.close()
  },
  async 'a rewind of what a patch and a command changed'({ place }) {
    place.write('a.txt', 'one\n')
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch'
    const calls = [{ name: 'apply_patch', args: { patch } }, command('echo three >> a.txt; echo new > new.txt')]
    const model = scriptedModel({ calls }, { text: 'ok' })
    const { client, watched, server } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const to = { conversationId, to: 1, overwrite: false }
    const { hash } = await client.request('conversation/rewind/plan', to)
    await client.request('conversation/rewind', { ...to, hash })
    await server.close()
  },
}

const command = (line: string) => ({ name: 'shell', args: { command: line } })

/** Disk of a process that is killed before it has synced its log: only side files are synced before they are named. */
const unsynced: Files = {
  ...nodeFiles,
  sync: (file) => (file.path.endsWith('.jsonl') ? Promise.resolve() : nodeFiles.sync(file)),
  syncFolder: (path) => (path.endsWith('.files') ? nodeFiles.syncFolder(path) : Promise.resolve()),
}

interface World {
  readonly place: TellingPlace
  readonly tell: Tell
}

interface TellingPlace extends TestPlace {
  /** The same place, whose servers tell nothing. */
  readonly quiet: TestPlace
}

/** Returns a place whose servers tell what they do, and whose clients tell what they see. */
export function tellingPlace(place: TestPlace, tell: Tell): TellingPlace {
  return {
    ...place,
    quiet: place,
    start: (ports) => place.start({ ...ports, ...tellingPorts(tell) }),
    async talk(ports, params) {
      const talk: Talk = await place.talk({ ...ports, ...tellingPorts(tell) }, params)
      tellSeen(talk.watched, tell)
      return talk
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

/** Writes a checkpoint whenever one may be written, and proves none. */
export const checkpoints = { leastBytes: 0, growthBytes: 0, proofDelayMs: 1 << 30 }

function tellingPorts(tell: Tell): TestPorts {
  return {
    checkpoints,
    host: watchedHost((text) => tell({ fact: 'effect', text })),
    patchFiles: {
      ...diskPatchFiles,
      rename(from, to) {
        tell({ fact: 'effect', text: '*** Begin Patch' })
        return diskPatchFiles.rename(from, to)
      },
    },
  }
}
