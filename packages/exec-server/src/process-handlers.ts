import type { ExecMethodName, ExecMethods } from '@parley/protocol/exec'
import { invalidParams } from '@parley/rpc'
import type { ProcessRecord } from './process-record.ts'
import type { PolicyEnforcer } from './sandbox/enforce-policy.ts'
import type { ExecSession } from './session.ts'
import { type ExecHandlers, pathOf, processErrors, uriOf } from './wire/requests.ts'

const defaultSize = { rows: 24, cols: 80 }
/** Unwritten bytes up to which a write is answered at once, and above which it is rejected. */
const fewUnwrittenBytes = 1024 * 1024
const maxUnwrittenBytes = 16 * 1024 * 1024
const defaultReadBytes = 1024 * 1024
const maxReadBytes = 16 * 1024 * 1024
const maxWaitMs = 2 ** 31 - 1
const noEndOfInput = 'a terminal has no end of input; write BA== (ctrl-d) to it'

export function createProcessHandlers(
  session: () => ExecSession,
  enforcer: PolicyEnforcer,
): Pick<ExecHandlers, Extract<ExecMethodName, `process/${string}` | 'copy/make'>> {
  return {
    async 'process/start'(params) {
      const { processId, sandbox } = params
      const spec = specOf(params)
      const scratch = () => session().scratch.folder()
      const loopbackOf = session().loopbacks.of
      const copyAround = session().copies.around
      const prepare = enforcer.process({ policy: sandbox, cwd: spec.cwd, scratch, loopbackOf, copyAround })
      return { processId, sandboxType: await session().start(processId, spec, prepare) }
    },
    async 'copy/make'({ key, files }) {
      const { copies } = session()
      const folder = await (files === undefined ? copies.find(key) : copies.make(key, files))
      return { folder: folder === null ? null : uriOf(folder) }
    },
    async 'process/write'(params) {
      await write(session().record(params.processId), params)
      return { accepted: true, status: 'accepted' }
    },
    async 'process/resize'({ processId, size }) {
      const record = session().record(processId)
      await record.settled()
      if (record.process?.resize(size) !== true) throw processErrors.noTerminal(processId)
      return {}
    },
    async 'process/signal'({ processId, signal }) {
      const record = session().record(processId)
      await record.settled()
      return { running: record.process?.signal(signalOf(signal)) ?? false }
    },
    'process/terminate'({ processId }) {
      return { running: session().has(processId) && session().record(processId).kill() }
    },
    'process/forget': ({ processId }) => ({ forgotten: session().forget(processId) }),
    async 'process/read'({ processId, afterSeq, maxBytes, waitMs }, context) {
      const record = session().record(processId)
      const after = afterSeq ?? 0
      if (waitMs) await record.toldAfter(after, { waitMs: Math.min(waitMs, maxWaitMs), signal: context.signal })
      return record.read(after, Math.min(maxBytes ?? defaultReadBytes, maxReadBytes))
    },
  }
}

function specOf({ argv, cwd, env, tty, arg0, pipeStdin, size }: ExecMethods['process/start']['decoded']) {
  if (argv.length === 0) throw invalidParams('argv must not be empty', 'argv')
  return {
    argv,
    cwd: pathOf(cwd, 'cwd'),
    env,
    terminal: tty ? (size ?? defaultSize) : null,
    pipeStdin,
    ...(typeof arg0 === 'string' ? { arg0 } : {}),
  }
}

async function write(
  record: ProcessRecord,
  { chunk, writeId, closeStdin, hidden }: ExecMethods['process/write']['decoded'],
): Promise<void> {
  const bytes = Buffer.from(chunk, 'base64')
  await record.settled()
  const process = record.isRunning ? record.process : null
  if (process === null || !process.takesInput) throw processErrors.stdinClosed(record.id)
  if (process.unwrittenBytes > maxUnwrittenBytes) throw processErrors.stdinFull(record.id)
  if (closeStdin && record.hasTerminal) throw invalidParams(noEndOfInput, 'closeStdin')
  if (hidden === true) record.hidden.keep(bytes)
  if (!record.writeIds.isNew(writeId)) return
  const taken = process.write(bytes)
  if (closeStdin) process.closeStdin()
  if (process.unwrittenBytes > fewUnwrittenBytes) await Promise.race([taken, process.closed])
}

function signalOf(signal: ExecMethods['process/signal']['decoded']['signal']): NodeJS.Signals {
  switch (signal) {
    case 'interrupt':
      return 'SIGINT'
    case 'terminate':
      return 'SIGTERM'
    case 'kill':
      return 'SIGKILL'
    default:
      return signal
  }
}
