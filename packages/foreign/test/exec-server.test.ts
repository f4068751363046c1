import { pathToFileURL } from 'node:url'
import {
  type CliRun,
  cliPath,
  expectTranscript,
  recordTranscript,
  startProgram,
  type TranscriptEntry,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'
import { expect, it } from 'vitest'

type Message = { readonly id?: number; readonly method?: string }

/** Says one thing after the other, each when everything that answers the one before has come. */
function conversation(run: CliRun) {
  const recorder = recordTranscript()
  let taken = 0
  const untilComes = (isIt: (message: Message) => boolean, what: string) =>
    waitUntil(
      () => {
        const lines = run.stdout().split('\n').slice(0, -1)
        for (; taken < lines.length; taken++) {
          recorder.line('<', withoutVariables(lines[taken] ?? ''))
          if (isIt(JSON.parse(lines[taken] ?? ''))) return ++taken
        }
        return false
      },
      { what, timeoutMs: 30_000 },
    )
  let id = 0
  const say = (msg: Record<string, unknown>) => {
    recorder.message('>', msg)
    run.write(`${JSON.stringify(msg)}\n`)
  }
  return {
    recorder,
    notify: (method: string) => say({ jsonrpc: '2.0', method }),
    async ask(method: string, params: Record<string, unknown>, untilTold?: string) {
      const asked = ++id
      say({ jsonrpc: '2.0', id: asked, method, params })
      await untilComes((message) => message.id === asked, `the answer to ${method}`)
      if (untilTold !== undefined) await untilComes((message) => message.method === untilTold, untilTold)
    },
  }
}

/** Returns the line with fixed variables in place of the variables of the user who runs the tests. */
function withoutVariables(line: string): string {
  return line.replace(/("tempDir":"[^"]*","env":)\{[^}]*\}/, '$1{"PATH":"/usr/bin:/bin"}')
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

it('the built exec-server holds the session that its documentation shows', { timeout: 60_000 }, async () => {
  await using home = await tempHome()
  await using workspace = await tempWorkspace({ files: { 'notes.txt': 'first\n' } })
  const options = { cwd: workspace.path, env: home.env, keepStdinOpen: true }
  await using run = startProgram([process.execPath, cliPath, 'exec-server'], options)
  const { recorder, ask, notify } = conversation(run)
  const start = { cwd: pathToFileURL(workspace.path).href, env: { PATH: '/usr/bin:/bin' } }

  await ask('process/start', { processId: 'early', argv: ['true'], ...start })
  await ask('initialize', { clientName: 'docs' })
  notify('initialized')
  recorder.remark('a process with pipes')
  const script = 'echo out; read line; exit 3'
  await ask(
    'process/start',
    { processId: 'p', argv: ['sh', '-c', script], ...start, pipeStdin: true },
    'process/output',
  )
  await ask('process/start', { processId: 'p', argv: ['sh', '-c', script], ...start })
  await ask('process/write', { processId: 'p', chunk: base64('go\n'), writeId: 'w1' }, 'process/closed')
  await ask('process/read', { processId: 'p', afterSeq: 0 })
  await ask('process/write', { processId: 'p', chunk: base64('late\n') })
  recorder.remark('one in a terminal')
  const sized = ['sh', '-c', 'stty -echo; stty size; read line; stty size; sleep 60']
  const size = { rows: 30, cols: 100 }
  await ask('process/start', { processId: 't', argv: sized, ...start, tty: true, size }, 'process/output')
  await ask('process/resize', { processId: 't', size: { rows: 40, cols: 120 } })
  await ask('process/write', { processId: 't', chunk: base64('\n') }, 'process/output')
  await ask('process/terminate', { processId: 't' }, 'process/closed')
  recorder.remark('what cannot be started')
  await ask('process/start', { processId: 'x', argv: ['no-such-program'], ...start })
  await ask('process/start', {
    processId: 'x',
    argv: ['true'],
    ...start,
    sandbox: { type: 'read-only', deny: ['/srv'] },
  })
  recorder.remark('files')
  const path = `${workspace.path}/notes.txt`
  await ask('fs/readFile', { path })
  const expectedHash = '6b1c0de5e4c3b15b3cf7c9ae6d4a4c5d1f0b1f3a9f3c7f1a5d2b8e6c4a3f2d10'
  await ask('fs/writeFile', { path, dataBase64: base64('second\n'), expectedHash })
  await ask('fs/writeFile', { path, dataBase64: base64('second\n') })
  await ask('fs/readFile', { path: `${workspace.path}/none` })
  recorder.remark('files under the limits of a sandbox')
  const sandbox = { type: 'workspace-write', writableRoots: [workspace.path] }
  await ask('fs/writeFile', { path, dataBase64: base64('third\n'), sandbox })
  await ask('fs/writeFile', { path: `${workspace.path}/.git/config`, dataBase64: base64('x'), sandbox })
  await ask('fs/writeFile', { path: '/nowhere/a', dataBase64: base64('x'), sandbox })
  run.closeStdin()
  expect((await run.result).exitCode).toBe(0)

  expectTranscript('docs/transcripts/exec-server.jsonl', recorder.entries.map(ofAnyMachine), {
    places: { $WORK: workspace.path },
    keys: ['shell', 'executorVersion', 'tempDir', 'userHomeDir', 'platformOs', 'enforcement', 'reason'],
  })
})

/** Returns the entry without the abilities of the sandbox, which differ between machines. */
function ofAnyMachine(entry: TranscriptEntry): TranscriptEntry {
  const text = JSON.stringify(entry)
    .replace(/("capabilities":\{"sandbox":)(?:true|false)/, '$1"<yes or no>"')
    .replace(',"sharesLoopback":true', '')
  return JSON.parse(text)
}
