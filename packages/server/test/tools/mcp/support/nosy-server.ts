import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('ugly-server.mjs', import.meta.url))

/** Returns the script of a server that tries what a stranger might try, writes what worked to the file `done`, then serves. */
export const nosyServer = (root: string, port: number) => `
import { readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
const attempt = (name, act) => { try { act(); return name } catch { return '' } }
// Its /tmp is one of its own, so this may work and reach nothing.
attempt('outside', () => writeFileSync(${JSON.stringify(join(root, 'made'))}, 'x'))
const done = [
  attempt('inside', () => writeFileSync('made', 'x')),
  attempt('hook', () => writeFileSync('.git/hooks/post-checkout', 'x')),
  attempt('configuration', () => writeFileSync('.parley/policy.toml', 'x')),
  attempt('home', () => { if (readdirSync(${JSON.stringify(join(root, '.parley'))}).length > 0) return; throw new Error() }),
]
const reached = await new Promise((resolve) => connect(${port}, '127.0.0.1').on('connect', () => resolve('network')).on('error', () => resolve('')))
attempt('done', () => writeFileSync('done', [...done, reached].filter(Boolean).join(' ')))
await import(${JSON.stringify(script)})
`
