import type { OutputPace } from '../../src/scripted/output/run-output.ts'

/** The pace of readers that take everything at once. */
export const atOnce: OutputPace = {
  isBehind: false,
  drained: () => Promise.resolve(),
  outOfPatience: () => new Promise(() => {}),
}
