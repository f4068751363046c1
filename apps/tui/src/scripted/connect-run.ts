import type { Conversation, LinkState, Parley } from '@parley/client'
import type { ServerNotice } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodeOf, exitCodes } from '../cli/exit-codes.ts'
import { type ExecFlags, takesAnswers } from '../cli/flags.ts'
import { type Launch, scriptedArgs } from '../cli/launch-server.ts'
import { isDiskFull } from '../ui/outside-changes.ts'
import { failureOf } from './end/run-end.ts'
import { StoppedError, type Stopper } from './end/stopper.ts'
import { callerName } from './input/message.ts'
import type { Reporter } from './reports/reporter.ts'

/** Connects a scripted run to its server; a full disk stops the run. */
export function connectRun(
  launch: Launch,
  flags: ExecFlags,
  { reporter, stopper }: { readonly reporter: Reporter; readonly stopper: Stopper },
): Promise<Parley> {
  const { record } = flags
  return connect(launch, {
    clientName: callerName(flags, launch.env),
    canApprove: takesAnswers(flags),
    signal: stopper.signal,
    serverArgs: [...scriptedArgs, ...(record === undefined ? [] : ['--record', record])],
    onNotice: (notice) => takeNotice(notice, reporter, stopper),
  })
}

/** Reports the loss of one of several servers, once for each server that is tried. */
export function reportLink(link: LinkState, reporter: Reporter): void {
  if (link.kind !== 'lost') return
  const { address, trying, isRejected, why } = link
  const what = isRejected ? `${address} does not accept the token any more` : `Connection to ${address} lost`
  reporter.problem(`${what}, trying ${trying === address ? 'again' : trying} …${why === undefined ? '' : ` (${why})`}`)
}

/** Stops the run on a full disk, because nobody makes room during a script; a stopped run only reports the notice. */
function takeNotice(
  { code, message: cause, errno, passing }: ServerNotice,
  reporter: Reporter,
  stopper: Stopper,
): void {
  const message = isDiskFull(errno) ? `${cause} Make room and run it again.` : cause
  // A shared store elects another leader by itself.
  const isElecting = passing === true && errno?.startsWith('STORE_') === true && errno !== 'STORE_FULL'
  if (code === 'storageFailed' && !isElecting && !stopper.signal.aborted)
    stopper.stop(new StoppedError(exitCodes.storage, { code, message }))
  else if (code !== 'storageRestored') reporter.problem(message)
}

/** Stops the run when the connection is lost before disposal. */
export function stopWhenLost({ closed }: Parley, stopper: Stopper): Disposable {
  let isWatching = true
  void closed.then((lost) => {
    if (!isWatching || lost === null) return
    const failure = failureOf(lost)
    stopper.stop(new StoppedError(exitCodeOf(failure.code), failure))
  })
  return {
    [Symbol.dispose]() {
      isWatching = false
    },
  }
}

/** Returns a notice that the run joins a conversation in its process; null for a conversation of its own. */
export function joinedNotice({ attached, serverPid }: Conversation): string | null {
  if (!attached) return null
  const where = serverPid === null ? 'another process' : `process ${serverPid}`
  return `The conversation is open in ${where}; this run joins it there. Approvals are answered there.`
}
