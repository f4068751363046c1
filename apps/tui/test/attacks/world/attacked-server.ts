import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type CheckResult, connect, type Parley } from '@parley/client'
import { methods } from '@parley/protocol/schema'
import { createStreamTransport } from '@parley/rpc'
import { cleanEnvironment, cliPath, type EnvVariables, killMarked, markVariable, newMark } from '@parley/testkit'
import { type AttackUser, asUser } from './attack-user.ts'

export interface ServerRecipe {
  readonly user: AttackUser
  readonly env: EnvVariables
  readonly cwd: string
  readonly args?: readonly string[]
  /** Put before the command, to start it as an attacker would. */
  readonly through?: readonly string[]
}

export interface AttackedServer extends AsyncDisposable {
  readonly pid: number
  readonly client: Parley
  /** Lines of its stderr so far. */
  stderr(): string
}

const serverPath = join(cliPath, '..', 'server.mjs')

/** The built server as a process of that user. Ends with everything it has started. */
export async function startAttackedServer(recipe: ServerRecipe): Promise<AttackedServer> {
  const mark = newMark()
  const { child, errors } = startAs(recipe, [process.execPath, serverPath, ...(recipe.args ?? [])], mark)
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the server has no pipes')
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async () => {
    child.kill('SIGKILL')
    await exited
    killMarked(mark)
  }
  const transport = createStreamTransport({ input: stdout, output: stdin })
  void exited.then(() => transport.close())
  const checkResult: CheckResult = (method, result) => void methods[method].result.parse(result)
  const client = await connect({ transport }, { name: 'attacker', version: '1', checkResult }).catch(
    async (error: unknown) => {
      await end()
      throw new Error(`the server did not answer; it said: ${errors.join('')}`, { cause: error })
    },
  )
  return {
    pid: child.pid ?? 0,
    client,
    stderr: () => errors.join(''),
    async [Symbol.asyncDispose]() {
      await client.close()
      await end()
    },
  }
}

function startAs({ user, env, cwd, through = [] }: ServerRecipe, command: readonly string[], mark: string) {
  const [program, ...args] = asUser(user, [...through, ...command])
  const child: ChildProcess = spawn(program, args, {
    env: cleanEnvironment({ ...env, [markVariable]: mark }),
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdin?.on('error', () => undefined)
  const errors: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  return { child, errors }
}
