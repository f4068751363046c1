import { runMetered } from '../run-metered.mjs'

export const version = {
  name: 'version',
  runs: 9,
  rows: { wall: { what: '`--version`', unit: 'ms', budget: 60, aim: 45 } },
  async measure({ program, place }) {
    const { wallMs } = await runMetered([program.launcher, '--version'], { env: place.env, cwd: place.workspace })
    return { wall: wallMs }
  },
}
