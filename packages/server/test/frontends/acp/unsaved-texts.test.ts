import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { offeredTexts } from '@parley/frontends/src/acp/offered-texts.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { type EditorOptions, openEditor } from './editor.ts'

const read = (path: string) => ({ calls: [{ name: 'read_file', args: { path } }] })
const capabilities = { fs: { readTextFile: true } }
const remark = 'changes that are not saved'

/** Runs a turn of a model in an editor and returns the results of its calls. */
async function results(place: TestPlace, model: ScriptedModel, readText: EditorOptions['readText'], limitMs = 10_000) {
  await using editor = await openEditor(place.start({ model, editors: offeredTexts(limitMs) }), {
    capabilities,
    ...(readText === undefined ? {} : { readText }),
  })
  const { sessionId } = await editor.open(place.cwd)
  await editor.say(sessionId, 'go')
  return (model.requests.at(-1)?.entries ?? []).flatMap((entry) => ('text' in entry ? [entry.text] : []))
}

describe('a file that is open in an editor', () => {
  it('is read as the editor holds it, and the model is told', async () => {
    await using place = testPlace()
    place.write('a.txt', 'saved\n')
    const asked: string[] = []
    const readText = (path: string) => {
      asked.push(path)
      return { content: 'not saved\nmore\n' }
    }
    const result = (await results(place, scriptedModel(read('a.txt')), readText)).at(-1)
    expect(asked).toEqual([join(place.cwd, 'a.txt')])
    expect(result).toContain('1\tnot saved')
    expect(result).toContain(remark)
    expect(place.read('a.txt')).toBe('saved\n')
  })

  it.each([
    ['with the text of the disk', () => ({ content: 'saved\n' })],
    ['with other line ends', () => ({ content: 'saved\r\n' })],
    ['without a final newline', () => ({ content: 'saved' })],
    ['with an error', () => Promise.reject(new Error('not open'))],
    ['with rubbish', () => ({}) as { content: string }],
    ['never', () => new Promise<never>(() => {}), 20],
  ])('is read from the disk when the editor answers %s', async (_how, readText, limitMs = 10_000) => {
    await using place = testPlace()
    place.write('a.txt', 'saved\n')
    const result = (await results(place, scriptedModel(read('a.txt')), readText, limitMs)).at(-1)
    expect(result).toContain('1\tsaved')
    expect(result).not.toContain(remark)
  })

  it('is asked for once only by a client that never answers', async () => {
    await using place = testPlace()
    place.write('a.txt', 'saved\n')
    const asked: string[] = []
    const readText = (path: string) => {
      asked.push(path)
      return new Promise<never>(() => {})
    }
    await results(place, scriptedModel(read('a.txt'), read('a.txt')), readText, 20)
    expect(asked).toHaveLength(1)
  })

  it('is read from the disk after a patch that the editor has not noticed', async () => {
    await using place = testPlace()
    place.write('a.txt', 'old\n')
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch'
    const model = scriptedModel(read('a.txt'), { calls: [{ name: 'apply_patch', args: { patch } }] }, read('a.txt'))
    const found = await results(place, model, () => ({ content: 'old\n' }))
    expect(found.at(-1)).toContain('1\tnew')
    expect(found.at(-1)).not.toContain(remark)
  })

  it('is never asked for outside of the folder of the session, nor by a link that leads there', async () => {
    await using place = testPlace()
    place.write('../outside.txt', 'outside\n')
    symlinkSync(join(place.root, 'outside.txt'), join(place.cwd, 'link.txt'))
    const asked: string[] = []
    const readText = (path: string) => {
      asked.push(path)
      return { content: 'of the editor' }
    }
    const model = scriptedModel(read('../outside.txt'), read('link.txt'), read('missing.txt'))
    const found = await results(place, model, readText)
    expect(found.join('\n')).toContain('1\toutside')
    expect(asked).toEqual([])
  })
})
