import { describe, expect, test } from 'vitest'
import { isLeaveOffered, pressStop, type Situation, type StopAction, type StopKey } from '../../src/ui/press-stop.ts'
import { leaveNotOffered } from '../../src/ui/ui-state.ts'

const idle: Situation = { textEmpty: true, overlayOpen: false, turn: 'none', commandRuns: false, nowMs: 0 }

// biome-ignore format: a table
const first: readonly (readonly [StopKey, Partial<Situation>, StopAction])[] = [
  ['ctrl+c', { textEmpty: false, turn: 'running' }, 'clearText'],
  ['ctrl+c', { turn: 'running' }, 'interruptTurn'],
  ['ctrl+c', { turn: 'stopping' }, 'offerToLeave'],
  ['ctrl+c', {}, 'offerToLeave'],
  ['escape', { overlayOpen: true, turn: 'running' }, 'closeOverlay'],
  ['escape', { textEmpty: false, turn: 'running' }, 'interruptTurn'],
  ['escape', { turn: 'running', commandRuns: true }, 'stopCommand'],
  ['escape', { overlayOpen: true, commandRuns: true }, 'closeOverlay'],
  ['ctrl+c', { turn: 'running', commandRuns: true }, 'stopCommand'],
  ['ctrl+c', { textEmpty: false, commandRuns: true }, 'clearText'],
  ['escape', { turn: 'stopping' }, 'none'],
  ['escape', { textEmpty: false }, 'none'],
  ['ctrl+d', {}, 'leave'],
  ['ctrl+d', { turn: 'running' }, 'leave'],
  ['ctrl+d', { textEmpty: false }, 'deleteAfter'],
  ['ctrl+d', { overlayOpen: true }, 'closeOverlay'],
]

function actions(presses: readonly (readonly [StopKey, Partial<Situation>])[]): StopAction[] {
  let interrupts = leaveNotOffered
  return presses.map(([key, situation]) => {
    const stop = pressStop(interrupts, key, { ...idle, ...situation })
    interrupts = stop.interrupts
    return stop.action
  })
}

describe('pressStop', () => {
  test.each(first)('%s in %j is %s', (key, situation, action) => {
    expect(actions([[key, situation]])).toEqual([action])
  })

  test('text, then the turn, then the offer, then leaving', () => {
    expect(
      actions([
        ['ctrl+c', { textEmpty: false, turn: 'running' }],
        ['ctrl+c', { turn: 'running' }],
        ['ctrl+c', { turn: 'stopping', nowMs: 100 }],
        ['ctrl+c', { turn: 'stopping', nowMs: 2_100 }],
      ]),
    ).toEqual(['clearText', 'interruptTurn', 'offerToLeave', 'leave'])
  })

  test('after two seconds the offer is made anew', () => {
    expect(
      actions([
        ['ctrl+c', {}],
        ['ctrl+c', { nowMs: 2_001 }],
        ['ctrl+c', { nowMs: 4_001 }],
      ]),
    ).toEqual(['offerToLeave', 'offerToLeave', 'leave'])
  })

  test('text typed meanwhile is cleared first and withdraws the offer', () => {
    expect(
      actions([
        ['ctrl+c', {}],
        ['ctrl+c', { textEmpty: false }],
        ['ctrl+c', {}],
      ]),
    ).toEqual(['offerToLeave', 'clearText', 'offerToLeave'])
  })

  test('Escape withdraws the offer', () => {
    expect(
      actions([
        ['ctrl+c', {}],
        ['escape', {}],
        ['ctrl+c', {}],
      ]),
    ).toEqual(['offerToLeave', 'none', 'offerToLeave'])
  })

  test('the offer can be shown while it stands', () => {
    const { interrupts } = pressStop(leaveNotOffered, 'ctrl+c', idle)
    expect([
      isLeaveOffered(interrupts, 2_000),
      isLeaveOffered(interrupts, 2_001),
      isLeaveOffered(leaveNotOffered, 0),
    ]).toEqual([true, false, false])
  })
})
