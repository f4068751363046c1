import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, cliPath, killMarked, markVariable, newMark, waitUntil } from '@parley/testkit'
import { asUser, giveTo } from '../world/attack-user.ts'
import type { AttackWorld } from '../world/attack-world.ts'

/** Name under which conversations of a world work through its exec-server. */
export const environmentName = 'box'

/** An exec-server of the same user, which the configuration of the world names from now on. */
export async function openEnvironment({ user, base, home, parleyHome, environment }: AttackWorld) {
  const mark = newMark()
  const tokenFile = join(base, 'exec-token')
  const listen = ['--listen', 'ws://127.0.0.1:0', '--token-file', tokenFile]
  const [program, ...args] = asUser(user, [process.execPath, join(cliPath, '..', 'exec-server.mjs'), ...listen])
  const env = cleanEnvironment({ ...environment(home), [markVariable]: mark })
  const child = spawn(program, args, { cwd: base, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [, port] = await waitUntil(() => /listens on ws:\/\/.*:(\d+)/.exec(said), { what: 'the exec-server' })
  const config = join(parleyHome, 'config.toml')
  appendFileSync(
    config,
    `[environments.${environmentName}]\nurl = "ws://127.0.0.1:${port}"\ntoken_file = "${tokenFile}"\n`,
  )
  giveTo(user, config)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      killMarked(mark)
    },
  }
}
