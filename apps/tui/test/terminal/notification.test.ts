import { describe, expect, test } from 'vitest'
import { notificationSequence, notificationWay } from '../../src/terminal/notification.ts'

const telling = { type: 'turnEnded', conversationId: 'c', cwd: '/x', title: 'parley: a;b', text: 'is done' } as const

describe('the way to notify', () => {
  test.each([
    [{ TERM: 'xterm-kitty' }, 'osc99'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'osc9'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'osc9'],
    [{ TERM: 'xterm-ghostty' }, 'osc9'],
    [{ TERM: 'foot' }, 'osc777'],
    [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, 'osc777'],
    [{ TERM: 'tmux-256color', TMUX: '/tmp/t', KITTY_WINDOW_ID: '1' }, 'osc99'],
    [{ TERM: 'xterm-256color' }, 'bell'],
    [{ TERM: 'linux', KITTY_WINDOW_ID: '1' }, 'bell'],
    [{}, 'bell'],
  ])('for %o is %s', (env, way) => {
    expect(notificationWay(env)).toBe(way)
  })
})

describe('the bytes of a notification', () => {
  test.each([
    ['off', ''],
    ['bell', '\x07'],
    ['osc9', '\x07\x1b]9;parley: a;b is done\x07'],
    ['osc777', '\x07\x1b]777;notify;parley: a,b;is done\x07'],
    ['osc99', '\x07\x1b]99;i=parley:d=0;parley: a;b\x1b\\\x1b]99;i=parley:d=1:p=body;is done\x1b\\'],
  ] as const)('by %s', (way, bytes) => {
    expect(notificationSequence(way, telling, { TERM: 'xterm' })).toBe(bytes)
  })

  test('go through tmux, which gets the bell itself', () => {
    expect(notificationSequence('osc9', telling, { TMUX: '/tmp/t' })).toBe(
      '\x07\x1bPtmux;\x1b\x1b]9;parley: a;b is done\x07\x1b\\',
    )
    expect(notificationSequence('auto', telling, { TMUX: '/tmp/t', TERM: 'tmux-256color' })).toBe('\x07')
  })
})
