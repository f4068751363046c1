import { paramsFor } from '@parley/engine/test/support/method-params.ts'
import type { MethodName } from '@parley/protocol'
import { methods } from '@parley/protocol/schema'
import { expect, it } from 'vitest'
import { codeOf, greeting, pageOf, pageScene } from './support/page-scene.ts'

/** Methods that answer whoever watches one conversation: about that alone. Every other method of the protocol is refused. */
const answered: ReadonlySet<MethodName> = new Set([
  ...(['conversation/stream', 'conversation/unstream', 'conversation/read', 'conversation/turns'] as const),
  ...(['conversation/readChange', 'conversation/readEvents', 'conversation/readFile', 'conversation/context'] as const),
  ...(['conversation/process/read', 'conversation/resume', 'conversation/export', 'bundle/describe'] as const),
  ...(['conversation/list', 'conversation/search', 'server/diagnostics'] as const),
])

const asksOfAll: ReadonlySet<MethodName> = new Set(['conversation/list', 'conversation/search', 'server/diagnostics'])

/** Codes by which a method says that there is nothing of that name in the conversation. */
const ownCodes = ['itemNotFound', 'processNotFound', 'invalidParams']

const tried = (Object.keys(methods) as MethodName[]).filter((name) => name !== 'initialize')

/** A page by a link to watch the first of two conversations, with what was said in each. */
async function watchedScene() {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(pageScene())
  const terminal = await scene.terminal()
  const say = async (text: string) => {
    const { conversationId } = await terminal.request('conversation/create', { cwd: scene.place.cwd })
    const watched = await terminal.watch(conversationId)
    await watched.send(text)
    await watched.turnEnded()
    return conversationId
  }
  const own = await say('own words')
  const other = await say('private words')
  const { url } = await terminal.request('web/open', { access: 'readOnly', conversationId: own })
  const admit = async (proof: object) => {
    const page = pageOf(url)
    const { token } = Object(await page.say(proof))
    const greeted = await page.say(greeting)
    return { page, token, person: Object(Object(greeted).result).person }
  }
  const disposal = stack.move()
  return {
    ...{ scene, terminal, own, other, url, admit, first: await admit({ code: codeOf(url) }) },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

it('a link to watch one conversation answers nothing about another one, by any method', async () => {
  await using watched = await watchedScene()
  const { scene, own, other, first } = watched
  for (const method of tried) {
    const params = {
      ...paramsFor(method, other, scene.place.cwd),
      ...(method === 'conversation/resume' ? { readOnly: true } : {}),
    }
    const answer = await first.page.ask(method, params)
    expect(JSON.stringify(answer), method).not.toMatch(/private words|config\.toml/)
    expect(JSON.stringify([answer.result, answer.error?.data]), method).not.toContain(other)
    if (asksOfAll.has(method)) expect(answer.error, method).toBeUndefined()
    else
      expect(answer.error?.data?.code, method).toMatch(
        answered.has(method) ? /^conversationNotFound$/ : /^(notPermitted|conversationNotFound)$/,
      )
  }
  const listed = await first.page.ask('conversation/list', {})
  expect(JSON.stringify(listed.result)).toContain(own)
  const found = await first.page.ask('conversation/search', { query: 'words' })
  expect(JSON.stringify(found.result)).toContain(own)
})

it('a link to watch one conversation answers about that alone, and changes nothing in it', async () => {
  await using watched = await watchedScene()
  const { scene, terminal, own, first } = watched
  const before = await terminal.request('conversation/read', { conversationId: own })
  for (const method of tried) {
    const { error } = await first.page.ask(method, { ...paramsFor(method, own, scene.place.cwd), readOnly: true })
    if (!answered.has(method)) expect(error?.data?.code, method).toBe('notPermitted')
    else if (error !== undefined) expect(ownCodes, `${method} ${JSON.stringify(error)}`).toContain(error.data?.code)
  }
  const read = await first.page.ask('conversation/read', { conversationId: own })
  expect(JSON.stringify(read.result)).toContain('own words')
  expect(await terminal.request('conversation/read', { conversationId: own })).toEqual(before)
})

it('a link to watch one conversation is held to that after a reload, too, and says so', async () => {
  await using watched = await watchedScene()
  const { own, other, first, admit } = watched
  expect(first.person).toEqual({ kind: 'guest', conversationId: own })
  const again = await admit({ token: first.token })
  expect(again.person).toEqual(first.person)
  const { error } = await again.page.ask('conversation/read', { conversationId: other })
  expect(error?.data?.code).toBe('conversationNotFound')
})

it('a link to watch without a conversation shows all, and one for a conversation that acts is bound to none', async () => {
  await using watched = await watchedScene()
  const { terminal, own, other } = watched
  for (const params of [{ access: 'readOnly' }, { conversationId: own }] as const) {
    const { url } = await terminal.request('web/open', params)
    const page = pageOf(url)
    await page.say({ code: codeOf(url) })
    expect(Object(Object(await page.say(greeting)).result).person).toBeUndefined()
    const { result } = await page.ask('conversation/read', { conversationId: other })
    expect(JSON.stringify(result)).toContain('private words')
  }
})
