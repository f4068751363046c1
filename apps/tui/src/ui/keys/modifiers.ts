import type { Modifiers } from './key-event.ts'

export interface Pressed extends Modifiers {
  /** False for a release, and for keys held with Super, Hyper or Meta, which are the desktop's. */
  readonly ours: boolean
}

/** `modifiers[:event]`: modifiers as bits plus one; event 3 is a release. */
export function readModifiers(field: string | undefined): Pressed {
  const [modifiers = '', event] = (field ?? '').split(':')
  const bits = Math.max(0, Number(modifiers || '1') - 1)
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
    ours: event !== '3' && (bits & 0b111000) === 0,
  }
}
