import { describe, expect, test } from 'vitest'
import { announce, unannounced } from '../../src/view/title-and-bell.ts'
import { after, completed, startedAt, turnEnded, turnStarted, userMessage } from './scenes/conversation.ts'

const running = after(turnStarted, completed(userMessage('fix\u0007 it')))
const done = after(turnStarted, completed(userMessage('fix it')), turnEnded())

describe('announce', () => {
  test('gives the window the title of the conversation, once and harmless', () => {
    const { announced, title } = announce(unannounced, running, null, startedAt)
    expect(title).toBe('parley: fix\\x07 it')
    expect(announce(announced, running, null, startedAt).title).toBeNull()
  })

  test('rings once for an approval and marks the title', () => {
    const first = announce(unannounced, running, 'a1', startedAt)
    expect(first).toMatchObject({ title: '? parley: fix\\x07 it', ring: 'parley: fix\\x07 it waits for your answer' })
    expect(announce(first.announced, running, 'a1', startedAt).ring).toBeNull()
  })

  test('rings for the end of a turn only if it took long', () => {
    const { announced } = announce(unannounced, running, null, startedAt)
    expect(announce(announced, done, null, startedAt + 10_000).ring).toBeNull()
    expect(announce(announced, done, null, startedAt + 13_000).ring).toBe('parley: fix it is done')
  })
})
