import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { readLines } from './wire-client.mjs'

const outputMark = Buffer.from('"process/output"')
const chunkMark = Buffer.from('"chunk":"')
const markReach = 512
/** Length of the end of an output message, after its chunk. */
const tailLength = '"}}'.length

/** Starts an exec-server with one client, which decodes only the length of the output. */
export function startExecServer(program, place) {
  const [command, ...args] = program.server
  // Without the flags of a server that the terminal program starts: `parley exec-server` runs without them.
  const entry = join(dirname(args.at(-1)), 'exec-server.mjs')
  const child = spawn(command, [entry], {
    env: place.env,
    cwd: place.workspace,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const answers = new Map()
  const processes = new Map()
  let nextId = 0
  const take = (line) => {
    const head = line.subarray(0, markReach)
    if (head.includes(outputMark)) return noteOutput(line, head)
    const { id, result, error, method, params } = JSON.parse(line)
    if (method === 'process/closed') return processes.get(params.processId).resolve()
    if (id === undefined) return undefined
    const { resolve, reject } = answers.get(id)
    answers.delete(id)
    return error === undefined ? resolve(result) : reject(new Error(error.message))
  }
  const noteOutput = (line, head) => {
    const [, processId] = /"processId":"([^"]*)"/.exec(head.toString('latin1'))
    const base64Length = line.length - head.indexOf(chunkMark) - chunkMark.length - tailLength
    processes.get(processId).bytes += decodedLength(line, base64Length)
  }
  readLines(child.stdout, take)
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      answers.set(++nextId, { resolve, reject })
      send({ id: nextId, method, params })
    })
  return {
    pid: child.pid,
    async initialize() {
      await request('initialize', { clientName: 'bench' })
      send({ method: 'initialized' })
    },
    /** Runs a process. Resolves to the number of its output bytes once it is closed. */
    async run(processId, argv, more = {}) {
      const { promise, resolve } = Promise.withResolvers()
      const record = { bytes: 0, resolve }
      processes.set(processId, record)
      await request('process/start', { processId, argv, cwd: place.workspace, env: { PATH: place.env.PATH }, ...more })
      await promise
      return record.bytes
    },
    /** Stops reading the output until `resume`. */
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}

function decodedLength(line, base64Length) {
  const end = line.length - tailLength
  const padding = (line[end - 1] === 0x3d) + (line[end - 2] === 0x3d)
  return (base64Length / 4) * 3 - padding
}
