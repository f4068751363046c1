import { createRequire } from 'node:module'

/** Where node-pty keeps the part that is compiled. The bundle has a stand-in for this file: there it lies beside it. */
export function nativeFile(name: 'pty.node'): string {
  const nodePty = createRequire(import.meta.url).resolve('@lydell/node-pty')
  return createRequire(nodePty).resolve(`@lydell/node-pty-${process.platform}-${process.arch}/${name}`)
}
