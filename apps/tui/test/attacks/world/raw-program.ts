import { spawn } from 'node:child_process'
import { join } from 'node:path'
import {
  cleanEnvironment,
  cliPath,
  type EnvVariables,
  killMarked,
  markVariable,
  newMark,
  waitUntil,
} from '@parley/testkit'
import { type AttackUser, asUser } from './attack-user.ts'

/** A message as it came; nothing is assumed of it. */
export interface Heard {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

/** A program that speaks lines on its stdin and stdout. */
export interface RawProgram extends AsyncDisposable {
  line(text: string): void
  until(what: string, fits: (message: Heard) => boolean): Promise<Heard>
  readonly heard: readonly Heard[]
}

interface Recipe {
  readonly user: AttackUser
  readonly env: EnvVariables
  readonly cwd: string
  readonly program: 'mcp-server' | 'exec-server' | 'server'
  readonly flags?: readonly string[]
}

export function startRaw({ user, env, cwd, program, flags = [] }: Recipe): RawProgram {
  const mark = newMark()
  const [file, ...args] = asUser(user, [process.execPath, join(cliPath, '..', `${program}.mjs`), ...flags])
  const child = spawn(file, args, { cwd, env: cleanEnvironment({ ...env, [markVariable]: mark }), stdio: 'pipe' })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.stdin.on('error', () => undefined)
  child.stderr.resume()
  const heard: Heard[] = []
  let unfinished = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    const lines = `${unfinished}${more}`.split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) heard.push(JSON.parse(line))
  })
  return {
    line: (line) => void child.stdin.write(`${line}\n`),
    until: (what, fits) => waitUntil(() => heard.find(fits), { what, timeoutMs: 30_000 }),
    heard,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      killMarked(mark)
    },
  }
}
