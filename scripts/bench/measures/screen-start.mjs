import { startTerminal } from '../terminal.mjs'

/** Mark before the text in the composer. */
export const composerMark = '› '
/** Key that occurs in no text on the screen. */
export const key = 'Q'

export const screenStart = {
  name: 'screen',
  runs: 9,
  rows: {
    paint: { what: 'terminal: first useful paint', unit: 'ms', budget: 120, aim: 50 },
    echo: { what: 'terminal: a typed character shows, after start', unit: 'ms', budget: 200, aim: 80 },
  },
  async measure({ program, place }) {
    await using terminal = startTerminal([program.launcher], place)
    const paintedMs = await terminal.sees(composerMark)
    const echoed = terminal.sees(key)
    terminal.type(key)
    return { paint: paintedMs - terminal.spawnedMs, echo: (await echoed) - terminal.spawnedMs }
  },
}
