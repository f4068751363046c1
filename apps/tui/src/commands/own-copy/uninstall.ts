import { lstatSync, realpathSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Parley } from '@parley/client'
import { shownLine } from '@parley/presentation/text/control-characters'
import { connect } from '../../cli/connect.ts'
import { exitCodes, ParleyError } from '../../cli/exit-codes.ts'
import { userFolder } from '../../cli/folders.ts'
import { isAgreed } from '../../cli/is-agreed.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { loggedOutText, mcpLoggedOutText, systemCause } from '../../cli/messages.ts'
import { installationOf, installationWords, removalAdvice } from './installation.ts'
import { assertRemovable, planLines, planRemoval, type RemovalPlan } from './removal-plan.ts'
import { endServers, type RunningServer, runningServers } from './running-servers.ts'

export interface UninstallFlags {
  readonly yes?: boolean
  readonly keepConversations?: boolean
}

/**
 * Runs `parley uninstall`: lists the files that parley keeps on this machine, asks, and removes them. Removes links but
 * not their targets, and nothing that parley did not make.
 */
export async function runUninstall(launch: Launch, flags: UninstallFlags): Promise<number> {
  const { home, program } = launch
  const isThere = lstatSync(home, { throwIfNoEntry: false }) !== undefined
  if (isThere) assertRemovable(home, userFolder(launch.env))
  await using parley = isThere
    ? await connect({ ...launch, early: null }, { clientName: 'parley-uninstall', serverArgs: ['--safe'] })
    : null
  const servers = parley === null ? [] : await runningServers(parley)
  const plan = planRemoval(launch, { servers, keepConversations: flags.keepConversations === true })
  const installation = installationOf(program.moduleUrl)
  const advice = `The program itself stays: ${installationWords(installation)}. To remove it: ${removalAdvice(installation)}`
  print([...planLines(plan, launch.env), advice])
  if (plan.own.length + plan.nodes.length === 0) return exitCodes.ok
  const refusal = await refusalOf(plan, flags)
  if (refusal !== null) return refusal
  if (parley !== null) await forgetLogins(parley, plan)
  const folder = parley === null ? null : await runFolder(parley)
  await parley?.close()
  return remove(plan, folder)
}

/** Returns the exit code if nothing may be removed; null after a yes, when no other server runs any more. */
async function refusalOf({ servers }: RemovalPlan, { yes }: UninstallFlags): Promise<number | null> {
  // A window would start its server again.
  const used = servers.filter(({ clients }) => clients.length > 0)
  if (used.length > 0) throw running(used, 'Close the windows and programs that use it')
  if (yes === true && servers.length > 0)
    throw running(servers, `End it first (kill ${servers.map(({ pid }) => pid).join(' ')})`)
  if (yes !== true && !(process.stdin.isTTY && process.stderr.isTTY)) {
    process.stderr.write('Nothing was removed; --yes does it.\n')
    return exitCodes.wouldChange
  }
  const question = servers.length === 0 ? 'Remove all this?' : 'End these servers and remove all this?'
  if (yes !== true && !(await isAgreed(question))) {
    process.stderr.write('Nothing was removed.\n')
    return exitCodes.ok
  }
  const left = await endServers(servers)
  if (left.length > 0) throw running(left, 'It does not end by itself')
  return null
}

function running(servers: readonly RunningServer[], what: string): ParleyError {
  const pids = servers.map(({ pid }) => pid).join(', ')
  const message = `A server still uses this home (process ${pids}). ${what}, then run this again. Nothing was removed.`
  return new ParleyError('liveElsewhere', exitCodes.storage, message)
}

/** Forgets kept keys and logins one by one: a keyring has no file to remove, and tokens are revoked. Rejects for a locked keyring. */
async function forgetLogins(parley: Parley, { logins }: RemovalPlan): Promise<void> {
  for (const login of logins) {
    const [kind, ...words] = login.split('/')
    const name = words.join('/')
    if (kind === 'mcp') print([mcpLoggedOutText(name, await parley.request('mcp/logout', { name }))])
    else print([loggedOutText(name, await parley.request('logout', { provider: name }))])
  }
}

async function runFolder(parley: Parley): Promise<string | null> {
  const { addresses } = await parley.request('server/diagnostics', {})
  const socket = addresses.find((address) => address.startsWith('/'))
  return socket === undefined ? null : dirname(socket)
}

/** Removes the files of the plan, then their parent folders if they are empty. Returns the exit code. */
function remove({ home, own, nodes }: RemovalPlan, folder: string | null): number {
  const problems = [...own, ...nodes].flatMap(({ path, link }) => {
    try {
      if (link === null) rmSync(path, { recursive: true, force: true })
      else unlinkSync(path)
      return []
    } catch (error) {
      return [`${path} stays: ${systemCause(error)}`]
    }
  })
  const caches = [...new Set(nodes.map(({ path }) => dirname(path)))]
  for (const emptied of [home, ...caches, ...(folder === null ? [] : [folder])]) removeEmpty(emptied)
  if (problems.length === 0) {
    print(['Removed.'])
    return exitCodes.ok
  }
  for (const problem of problems) process.stderr.write(`parley: ${shownLine(problem)}\n`)
  return exitCodes.storage
}

/** Removes a folder if it is empty, and the link to it. */
function removeEmpty(path: string): void {
  try {
    const isLink = lstatSync(path).isSymbolicLink()
    rmdirSync(realpathSync(path))
    if (isLink) unlinkSync(path)
  } catch {
    // The folder has other files, so it stays.
  }
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${shownLine(line)}\n`).join(''))
}
