import { runMetered } from '../run-metered.mjs'

export const execHello = {
  name: 'exec',
  runs: 9,
  rows: {
    wall: { what: '`exec hello`, process start to exit', unit: 'ms', budget: 250, aim: 160 },
    cpu: { what: 'same, CPU of all processes', unit: 'ms', budget: 300, aim: 180 },
  },
  async measure({ program, model, place }) {
    await model.play({ play: 'hello' })
    const run = await runMetered([program.launcher, 'exec', 'say hello'], { env: place.env, cwd: place.workspace })
    return { wall: run.wallMs, cpu: run.cpuMs }
  },
}
