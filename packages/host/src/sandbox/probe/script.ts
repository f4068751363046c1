/** What the probe found from inside of its limits. */
export interface ProbeFindings {
  readonly wroteInside: boolean
  readonly wroteOutside: boolean
  readonly readSecret: boolean
  /** What became of a connection to the machine's loopback, and of an abstract unix socket: `ok` or an error's code. */
  readonly tcp: string
  readonly unix: string
  /** The kernel filters its system calls. */
  readonly filtered: boolean
}

/** Runs by `node -e`; arguments: a folder inside, one outside, a file with a secret, its text, a port. */
export const probeScript = `
const { readFileSync, writeFileSync } = require('node:fs')
const { connect, createServer } = require('node:net')
const [inside, outside, secret, text, port] = process.argv.slice(1)
const attempt = (action) => { try { return action() } catch { return false } }
const settled = (thing, good) => new Promise((resolve) => {
  thing.once(good, () => resolve('ok'))
  thing.once('error', (error) => resolve(error.code ?? 'unknown'))
})
const write = (folder) => attempt(() => { writeFileSync(folder + '/written', ''); return true })
const tries = [
  settled(connect(Number(port), '127.0.0.1'), 'connect'),
  attempt(() => settled(createServer().listen('\\0parley-' + process.pid), 'listening')) || 'refused',
]
Promise.all(tries).then(([tcp, unix]) => {
  const findings = {
    wroteInside: write(inside),
    wroteOutside: write(outside),
    readSecret: attempt(() => readFileSync(secret, 'utf8').includes(text)),
    tcp,
    unix,
    filtered: attempt(() => readFileSync('/proc/self/status', 'latin1').includes('Seccomp:\\t2')),
  }
  process.stdout.write(JSON.stringify(findings), () => process.exit(0))
})
`

export function parseFindings(text: string): ProbeFindings | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFindings(value) ? value : null
  } catch {
    return null
  }
}

function isFindings(value: unknown): value is ProbeFindings {
  if (typeof value !== 'object' || value === null) return false
  const flags = ['wroteInside', 'wroteOutside', 'readSecret', 'filtered'] as const
  const codes = ['tcp', 'unix'] as const
  const fields = new Map<string, unknown>(Object.entries(value))
  return (
    flags.every((name) => typeof fields.get(name) === 'boolean') &&
    codes.every((name) => typeof fields.get(name) === 'string')
  )
}
